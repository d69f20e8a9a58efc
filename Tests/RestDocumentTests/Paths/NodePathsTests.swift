// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct NodePathsTests {
    static let text = #"""
        {"articles": [
           {"id": 1, "author": {"id": 7}, "tags": []},
           {"id": 2, "author": null, "tags": ["a", "b"], "x.y": {"": [[0]]}}
         ], "empty": {}, "count": 2}
        """#

    @Test(
        arguments: [
            "", "articles", "articles[0]", "articles[0].author.id", "articles[1].tags[1]",
            #"articles[1].x\.y[""][0][0]"#, "empty", "count",
        ] as [DocumentPath])
    func findsPathOfNode(_ path: DocumentPath) throws {
        let root = try Document(parsing: Self.text).root
        let node = try #require(root[path])
        #expect(node.path == path)
    }

    @Test func findsPathsInOnePass() throws {
        let document = try Document(parsing: Self.text)
        let indices = Array(0..<document.storage.nodeCount)
        document.withView { root in
            let single = indices.map { root.at($0).path }
            #expect(root.paths(of: indices) == single)
            let some = indices.filter { $0 % 3 == 1 }
            #expect(root.paths(of: some) == some.map { single[$0] })
            #expect(root.paths(of: [5, 5]) == [single[5], single[5]])
            #expect(root.paths(of: []) == [])
            // Paths from an inner value are relative to it.
            let articles = root.at(2)
            #expect(articles.paths(of: [2, 3]).map(\.description) == ["", "[0]"])
        }
    }

    @Test(
        arguments: [
            "absent", "articles[2]", "articles.id", "count.x", "count[0]", "empty[0]",
            "articles[0].author.id.x",
        ] as [DocumentPath])
    func returnsNilForMismatchedComponent(_ path: DocumentPath) throws {
        #expect(try Document(parsing: Self.text).root[path] == nil)
    }

    @Test(
        arguments: [
            ("articles.id", "1 2"), ("articles[1].id", "2"), ("articles.author.id", "7"),
            ("articles.author", #"{"id":7} null"#), ("articles.tags", #"[] ["a","b"]"#),
            ("absent", ""), ("count", "2"), ("articles.absent", ""), ("", "root"),
        ] as [(DocumentPath, String)])
    func mapsKeysOverArrays(_ path: DocumentPath, _ expected: String) throws {
        let root = try Document(parsing: Self.text).root
        let values = root.values(at: path)
        if expected == "root" {
            #expect(values == [root])
        } else {
            #expect(values.map(\.debugDescription).joined(separator: " ") == expected)
        }
    }

    @Test func flattensNestedArraysInOrder() throws {
        let root = try Document(parsing: #"[[{"a":1},[{"a":2}],3],{"b":0},{"a":[4]},"x"]"#).root
        #expect(root.values(at: "a").map(\.debugDescription) == ["1", "2", "[4]"])
    }
}
