// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// A descriptor carries a mapping of any kind.
@Suite(.tags(.socket)) struct MappingKindTests {
    private let body = #"[{"kind":"a","name":"Ann"},{"kind":"b","id":1,"title":"t"},{"kind":"c"}]"#

    private var mixed: DynamicMapping {
        DynamicMapping([
            MappingMatcher(at: "kind", equals: "a", mapping: ObjectMapping(for: Author.self)),
            MappingMatcher(at: "kind", equals: "b", mapping: ObjectMapping(for: Article.self)),
        ])
    }

    @Test func theRepresentationDecides() async throws {
        let result = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed"))
            return try await api.getObjects(at: "feed").array.map { "\(type(of: $0))" }
        }
        #expect(result == ["Author", "Article"])
    }

    @Test func aTypeThatADynamicMappingMayMakeIsDescribedByIt() async throws {
        let body = #"{"items":[{"kind":"a","name":"Ann"}]}"#
        let authors = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed", keyPath: "items"))
            return try await api.getObjects(Author.self, at: "feed")
        }
        #expect(authors == [Author(name: "Ann")])
    }

    @Test func anObjectOfAnotherTypeThanTheCallerAskedForIsAnError() async throws {
        let error = try await served(body) { api in
            try api.add(ResponseDescriptor(mixed, at: "feed"))
            return await #expect(throws: NetworkingError.self) {
                try await api.getObjects(Author.self, at: "feed")
            }
        }
        #expect(error?.code == .mappingFailed)
        #expect(error?.path == "[1]")
    }

    @Test func aTypeThatDecodesItselfIsAMapping() async throws {
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

    @Test func anErrorOfTheServerMayDecodeItself() async throws {
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

    @Test func descriptorsAreEqualIfTheirMappingsMakeTheSame() {
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
