// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// What descriptors make of the documents that a server sends.
@Suite(.tags(.socket)) struct DescribedObjectsTests {
    @Test(.parity("N138")) func mapsByTheDescriptorOfTheMethod() async throws {
        let body = #"{"user": {"id": 1, "title": "a", "author": {"name": "Ann"}, "tags": ["t"]}}"#
        let posted = ResponseDescriptor(
            ObjectMapping(for: Article.self, ["id", "title", "author"]), at: "user",
            methods: [.post], keyPath: "user")
        let got = ResponseDescriptor(
            ObjectMapping(for: Article.self, ["id", "title", "tags"]), at: "user",
            methods: [.get], keyPath: "user")
        for descriptors in [[posted, got], [got, posted]] {
            let result = try await result(of: body, at: "user", descriptors)
            #expect(
                result.array as? [Article]
                    == [Article(id: 1, title: "a", author: nil, tags: ["t"])])
        }
    }

    @Test(.parity("N178", "N262", "M284"), arguments: ["human", "data.STUser"] as [DocumentPath])
    func mapsTheObjectAtAKeyPath(keyPath: DocumentPath) async throws {
        let object = #"{"name": "Diego"}"#
        let body = keyPath.description.split(separator: ".").reversed().reduce(object) {
            inner, key in
            #"{"\#(key)": \#(inner), "other": {"name": "x"}}"#
        }
        let result = try await result(
            of: body, at: "JSON/humans/1.json",
            [ResponseDescriptor(Author.self, keyPath: keyPath)])
        #expect(result.array as? [Author] == [Author(name: "Diego")])
        #expect((result.first as? Author)?.name == "Diego")
        #expect(
            result.dictionary[SourcePath(keyPath)] as? [Author]
                == [Author(name: "Diego")])
    }

    @Test(.parity("N263")) func mapsAListAtAKeyPathInItsOrder() async throws {
        let body = """
            {"results": [{"photoURL": "1308262872.jpg", "ID": "226"},
                         {"photoURL": "1308634984.jpg", "ID": "235"}]}
            """
        let mapping = ObjectMapping(for: Article.self, ["ID": "id", "photoURL": "title"])
        let result = try await result(
            of: body, at: "results", [ResponseDescriptor(mapping, keyPath: "results")])
        let articles = result.objects(of: Article.self)
        #expect(articles.map(\.id) == [226, 235])
        #expect(articles.map(\.title) == ["1308262872.jpg", "1308634984.jpg"])
    }

    @Test(.parity("M290")) func mapsTwoKeyPathsOfOneDocument() async throws {
        let body = """
            {"products": [{"id": 5, "title": "p1"}, {"id": 5, "title": "p2"}],
             "categories": [{"name": "c1"}, {"name": "c2"}]}
            """
        let result = try await result(
            of: body, at: "shop",
            [
                ResponseDescriptor(Article.self, keyPath: "products"),
                ResponseDescriptor(Author.self, keyPath: "categories"),
            ])
        #expect(result.array.count == 4)
        #expect(result.objects(of: Article.self).map(\.title) == ["p1", "p2"])
        #expect(result.objects(of: Author.self).map(\.name) == ["c1", "c2"])
    }

    @Test(.parity("N257", "M299")) func succeedsWithoutAnyObject() async throws {
        let result = try await result(of: "[]", at: "articles", [])
        #expect(result.first == nil)
        #expect(result.array.isEmpty)
        #expect(result.dictionary.isEmpty)
    }

    @Test(.parity("N258")) func failsForAnErrorThatNobodyDescribes() async throws {
        try await LoopbackServer.run({ _ in .json(#"{"errors": ["x"]}"#, status: 400) }) { server in
            let api = try manager(at: server.baseURL)
            let error = await networkingError { try await api.getObjects(at: "errors.json") }
            #expect(error?.code == .unexpectedStatus)
            #expect(error?.status == 400)
        }
    }

    @Test(.parity("N137")) func saysThatNoDescriptorIsForTheServer() async throws {
        let base = try HTTPURL(parsing: "http://restkit.org/api/v1")
        var first = ResponseDescriptor(Author.self, at: "/users")
        first.baseURL = base
        var second = ResponseDescriptor(Article.self, at: "/users/empty")
        second.baseURL = base
        let descriptors = [first, second]
        try await LoopbackServer.run({ _ in .json(#"{"id": 1}"#) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(descriptors)
            let error = await networkingError { try await api.getObjects(at: "users/empty") }
            #expect(error?.code == .noMatchingDescriptor)
            #expect(error?.description.contains("200") == true)
            #expect(error?.description.contains(server.baseURL + "users/empty") == true)
            #expect(error?.causes.count == 2)
            #expect(
                error?.causes.allSatisfy { $0.contains("not under http://restkit.org/api/v1") }
                    == true)
        }
    }

    private func result(
        of body: String, at path: String, _ descriptors: [ResponseDescriptor]
    ) async throws -> MappingResult {
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(descriptors)
            return try await api.getObjects(at: path)
        }
    }
}
