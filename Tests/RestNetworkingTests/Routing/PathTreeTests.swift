// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestNetworking

@Suite struct PathTreeTests {
    private func candidates(_ patterns: [String], for path: String) throws -> [Int] {
        var tree = PathTree()
        for (position, text) in patterns.enumerated() {
            tree.insert(position, at: try PathPattern(text))
        }
        var found: [Int] = []
        tree.forEachCandidate(for: NormalizedPath(path)) { found.append($0) }
        return found.sorted()
    }

    /// The work does not depend on the patterns of other paths.
    @Test func visitsOnlyPatternsThatMayMatch() throws {
        let patterns = (0..<1000).flatMap { ["/resource\($0)/:id", "/resource\($0)/:id/parts"] }
        #expect(try candidates(patterns, for: "/resource417/5") == [834])
        #expect(try candidates(patterns, for: "/resource417/5/parts?page=2") == [835])
        #expect(try candidates(patterns, for: "/resource417").isEmpty)
        #expect(try candidates(patterns, for: "/resource4170/5").isEmpty)
    }

    @Test(arguments: [
        ("", [0]), ("/", [1]), ("/a", [2, 3]), ("/b", [3]), ("/b/", [4]), ("/x.json", [3, 5]),
        ("/.json", [3]), ("/a-1-b", [3, 6]), ("/a%2Fb", [3]), ("/größe", [3, 7]),
        ("/gr%c3%b6%C3%9Fe", [3, 7]), ("a", []), ("/a/b/c", []),
    ])
    func comparesSegmentsWithPrefixAndSuffix(path: String, expected: [Int]) throws {
        let patterns = [
            "", "/", "/a", "/:x", "/:x/", #"/:x\.json"#, "/a-:x-b", "/größe",
        ]
        #expect(try candidates(patterns, for: path) == expected)
    }

    @Test func findsAllPatternsOfOnePath() throws {
        #expect(try candidates(["/a/:x", "/a/:y", "/:z/b", "/a/b"], for: "/a/b") == [0, 1, 2, 3])
    }
}
