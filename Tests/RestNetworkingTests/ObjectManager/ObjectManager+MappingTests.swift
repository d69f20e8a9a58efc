// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerMappingTests {
    @Test(.parity("N138")) func mapsByDescriptorOfMethod() async throws {
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
    func mapsObjectAtKeyPath(keyPath: DocumentPath) async throws {
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

    @Test(.parity("N263")) func mapsListAtKeyPathInOrder() async throws {
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

    @Test(.parity("N257", "M299")) func succeedsWithoutObjects() async throws {
        let result = try await result(of: "[]", at: "articles", [])
        #expect(result.first == nil)
        #expect(result.array.isEmpty)
        #expect(result.dictionary.isEmpty)
    }

    @Test(.parity("N258")) func failsForErrorStatusWithoutDescriptor() async throws {
        try await LoopbackServer.run({ _ in .json(#"{"errors": ["x"]}"#, status: 400) }) { server in
            let api = try manager(at: server.baseURL)
            let error = await networkingError { try await api.getObjects(at: "errors.json") }
            #expect(error?.code == .unexpectedStatus)
            #expect(error?.status == 400)
        }
    }

    @Test(.parity("N137")) func explainsThatNoDescriptorIsForServer() async throws {
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
            #expect(error?.causes.count == 3)
            #expect(error?.causes.first == "none of 2 descriptors matches")
            #expect(
                error?.causes.dropFirst().allSatisfy {
                    $0.contains("not under http://restkit.org/api/v1")
                } == true)
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

/// Dynamic and `Codable` mappings in response descriptors.
@Suite(.tags(.socket)) struct MappingKindTests {
    private let body = #"[{"kind":"a","name":"Ann"},{"kind":"b","id":1,"title":"t"},{"kind":"c"}]"#

    private var mixed: DynamicMapping {
        DynamicMapping([
            MappingMatcher(at: "kind", equals: "a", mapping: ObjectMapping(for: Author.self)),
            MappingMatcher(at: "kind", equals: "b", mapping: ObjectMapping(for: Article.self)),
        ])
    }

    @Test func dynamicMappingChoosesByRepresentation() async throws {
        let result = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed"))
            return try await api.getObjects(at: "feed").array.map { "\(type(of: $0))" }
        }
        #expect(result == ["Author", "Article"])
    }

    @Test func dynamicMappingDescribesEachOfItsTypes() async throws {
        let body = #"{"items":[{"kind":"a","name":"Ann"}]}"#
        let authors = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed", keyPath: "items"))
            return try await api.getObjects(Author.self, at: "feed")
        }
        #expect(authors == [Author(name: "Ann")])
    }

    @Test func rejectsObjectOfUnrequestedType() async throws {
        let error = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed"))
            return await #expect(throws: NetworkingError.self) {
                try await api.getObjects(Author.self, at: "feed")
            }
        }
        #expect(error?.code == .mappingFailed)
        #expect(error?.path == "[1]")
    }

    @Test func mapsDecodableType() async throws {
        struct Reading: Decodable, Hashable { var at: Int }
        let (readings, path) = try await served(#"{"data":[{"at":1},{"at":2},{"at":"x"}]}"#) {
            api in
            let mapping = CodableMapping(for: Reading.self, policy: .lenient)
            try api.add(ResponseDescriptor(mixed, at: "other"))
            try api.add(ResponseDescriptor(mapping, at: "readings", keyPath: "data"))
            let result = try await api.getObjects(at: "readings")
            return (result.objects(of: Reading.self), result.report.issues.map(\.path))
        }
        #expect(readings == [Reading(at: 1), Reading(at: 2)])
        #expect(path == ["data[2].at"])
    }

    @Test func mapsDecodableError() async throws {
        struct Refusal: Error, Decodable, Equatable { var reason: String }
        let error = try await served(#"{"reason":"closed"}"#, status: 403) { api in
            try api.add(
                ResponseDescriptor(CodableMapping(for: Refusal.self), statusCodes: .error))
            return await #expect(throws: NetworkingError.self) {
                try await api.getObjects(at: "x")
            }
        }
        #expect(error?.mappedErrors as? [Refusal] == [Refusal(reason: "closed")])
    }

    @Test func descriptorsWithEquivalentMappingsAreEqual() {
        let author = ResponseDescriptor(Author.self, at: "feed")
        #expect(ResponseDescriptor(mixed, at: "feed") != author)
        #expect(author != ResponseDescriptor(mixed, at: "feed"))
        #expect(ResponseDescriptor(mixed, at: "feed") == ResponseDescriptor(mixed, at: "feed"))
        #expect(ResponseDescriptor(mixed).description == "Author or Article with status 200-299")
    }

    private func served<Result: Sendable>(
        _ body: String, status: Int = 200,
        _ work: @Sendable @escaping (ObjectManager) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer.run({ _ in .json(body, status: status) }) { server in
            try await work(manager(at: server.baseURL))
        }
    }
}

/// A destination of a program, which collects what a mapping assigns.
private struct CollectedNames: MappingDestination {
    var names: [String] = []

    mutating func assign(
        _ property: Int, from source: ValueSource
    ) throws(MappingFailure) {
        if Author.properties.properties[property].name == "name" {
            names.append(try source.read(String.self))
        }
    }
}

/// The mapping of a response into a destination of the program.
@Suite(.tags(.socket)) struct OwnDestinationTests {
    @Test(.parity("N289")) func mapsResponseIntoOwnDestination() async throws {
        try await LoopbackServer.run({ _ in .json(#"{"author": {"name": "Ann"}}"#) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Author.self, keyPath: "author"))
            let response = try await api.response(to: api.request(.get, at: "a"))
            let match = try #require(response.matches.first)
            var report = MappingReport()
            let collected = try match.plan.run(match.representation, report: &report) {
                source throws(MappingFailure) in
                var destination = CollectedNames()
                try source.walk(into: &destination)
                return destination
            }
            #expect(collected.names == ["Ann"])
        }
    }
}

/// The mark of stored responses that were mapped.
@Suite(.tags(.socket)) struct MappedResponseCachingTests {
    private static let fields = [
        ("ETag", "\"7\""), ("Cache-Control", "private, must-revalidate, max-age=0"),
    ]

    /// Runs a closure with a caching manager and a server with one article.
    private func serve(
        _ fields: [(String, String)] = Self.fields,
        _ body: (ObjectManager, HTTPCache, LoopbackServer) async throws -> Void
    ) async throws {
        let text = #"{"id": 1, "title": "New", "author": {"name": "Ann"}}"#
        try await LoopbackServer.run { request in
            let isKnown = request.headers["if-none-match"] == "\"7\""
            let headers = fields.map { (name: $0.0, value: $0.1) }
            return isKnown
                ? LoopbackResponse(status: 304, headers: headers) : .json(text, headers: headers)
        } body: { server in
            let transport = CurlTransport()
            let cache = HTTPCache()
            var client = try HTTPClient(baseURL: server.baseURL, transport: transport)
            client.cache = cache
            try await body(ObjectManager(client: client), cache, server)
            await transport.shutdown()
        }
    }

    @Test(.parity("N310", "S066"))
    func marksStoredResponseAfterMapping() async throws {
        try await serve { api, cache, server in
            let request = try api.request(.get, at: "coredata/etag")
            let article: Article = try await api.get("coredata/etag")
            #expect(article.title == "New")
            let entry = await cache.entry(for: request)
            #expect(entry?.isMapped == true)
            #expect(entry?.head.headerFields[.eTag] == "\"7\"")
            // A validated response keeps its mark and maps to the same object.
            let again: Article = try await api.get("coredata/etag")
            #expect(again == article)
            #expect(server.requests.last?.headers["if-none-match"] == "\"7\"")
            #expect(await cache.entry(for: request)?.isMapped == true)
        }
    }

    @Test(.parity("S067")) func mapsStoredResponseWithoutRequest() async throws {
        try await serve([("Cache-Control", "max-age=60")]) { api, _, server in
            let clock = ManualClock()
            api.configure { $0.client.clock = clock }
            let article: Article = try await api.get("a")
            clock.advance(by: .seconds(59))
            #expect(try await api.get("a") == article)
            clock.advance(by: .seconds(2))
            for policy in [CachePolicy.cacheFirst, .cacheOnly] {
                #expect(try await api.get("a") { $0.cachePolicy = policy } == article)
            }
            #expect(server.requests.count == 1)
            // The stored response has expired.
            #expect(try await api.get("a") == article)
            #expect(server.requests.count == 2)
        }
    }

    @Test(.parity("N310"))
    func marksStoredResponseOfEachRequestFunction() async throws {
        try await serve { api, cache, _ in
            try api.add(ResponseDescriptor(Article.self))
            _ = try await api.getObjects(Article.self, at: "list")
            _ = try await api.getObjects(at: "all")
            for try await page in api.pages(of: Article.self, at: "pages", by: .linkHeader) {
                #expect(page.objects.count == 1)
            }
            for path in ["list", "all", "pages"] {
                let entry = await cache.entry(for: try api.request(.get, at: path))
                #expect(entry?.isMapped == true)
            }
        }
    }

    @Test(.parity("N311"))
    func keepsStoredResponseUnmarkedWhenMappingFails() async throws {
        try await serve { api, cache, _ in
            try api.add(ResponseDescriptor(Author.self, at: "elsewhere"))
            let error = await #expect(throws: NetworkingError.self) {
                try await api.getObjects(at: "coredata/etag")
            }
            #expect(error?.code == .noMatchingDescriptor)
            let entry = await cache.entry(for: try api.request(.get, at: "coredata/etag"))
            #expect(entry?.isMapped == false)
        }
    }
}
