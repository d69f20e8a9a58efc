// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket)) struct ResponseMetadataTests {
    private static let answer = LoopbackResponse.json(#"{"users": {}, "title": "t"}"#)

    @Test(
        .parity("N268", "N269", "N270", "N271", "N272"),
        arguments: [
            ("HTTP.request.method", "GET"), ("HTTP.request.URL", "<base>api/v1/users"),
            ("HTTP.request.headers.Content-Type", "application/xml"),
            ("HTTP.request.headers.content-type", "application/xml"),
            ("HTTP.response.URL", "<base>api/v1/users"),
            ("HTTP.response.headers.Content-Type", "application/json"),
            ("HTTP.response.headers.content-type", "application/json"),
            ("HTTP.response.headers.X-Ratelimit-Left", "3"),
            ("network.arguments.version", "v1"),
        ])
    func mapsMetadataOfExchange(path: String, expected: String) async throws {
        var answer = Self.answer
        answer.headers.append(("X-RateLimit-Left", "3"))
        try await LoopbackServer.run({ [answer] _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(try Self.mapping("@metadata." + path), at: "api/:version/users"))
            let profile: Profile = try await api.get("api/v1/users") { request in
                request.headerFields[.contentType] = "application/xml"
            }
            #expect(
                profile.name
                    == expected.replacingOccurrences(of: "<base>", with: server.baseURL))
        }
    }

    @Test(.parity("N269")) func mapsURLToURLValue() async throws {
        try await LoopbackServer.run({ _ in Self.answer }) { server in
            let api = try manager(at: server.baseURL)
            var mapping = ObjectMapping(table: Link.properties)
            mapping.add(AttributeMapping("@metadata.HTTP.request.URL", to: "url"))
            try api.add(ResponseDescriptor(mapping))
            let request = ObjectRequest<Link>(at: "a?b=c")
            let link = try await api.send(request).value
            #expect(link.url == URL(string: server.baseURL + "a?b=c"))
        }
    }

    @Test(.parity("N273", "N274"))
    func nestsArgumentsUnderKeyPath() async throws {
        try await LoopbackServer.run({ _ in Self.answer }) { server in
            for (keyPath, source) in [
                (DocumentPath.root, "version"), ("users", "users.version"),
            ] as [(DocumentPath, String)] {
                let api = try manager(at: server.baseURL)
                try api.add(
                    ResponseDescriptor(
                        try Self.mapping("@metadata.network.arguments." + source),
                        at: "api/:version/users", keyPath: keyPath))
                let profile: Profile = try await api.get("api/v1/users")
                #expect(profile.name == "v1")
            }
        }
    }

    @Test(.parity("N275", "N276", "N277"))
    func mergesCallersMetadata() async throws {
        try await LoopbackServer.run({ _ in Self.answer }) { server in
            for (metadata, source, expected) in [
                (["customKey": "x"], "customKey", "x"),
                (["HTTP": ["customKey": "x"]], "HTTP.customKey", "x"),
                (["HTTP": ["customKey": "x"]], "HTTP.request.URL", server.baseURL + "a"),
                (["HTTP": ["request": ["method": "x"]]], "HTTP.request.method", "x"),
                (["phoneNumber": "867-5309"], "phoneNumber", "867-5309"),
            ] as [(Document, String, String)] {
                let api = try manager(at: server.baseURL)
                try api.add(ResponseDescriptor(try Self.mapping("@metadata." + source)))
                var request = ObjectRequest<MappingResult>(at: "a")
                request.metadata = RequestParameters(metadata)
                let target = Profile(name: "before", age: 1)
                let result = try await api.send(request, updating: target).value
                #expect(result.first as? Profile === target)
                #expect(target.name == expected && target.age == 1)
            }
        }
    }

    @Test(.parity("N279", "N280")) func mapsQueryParameters() async throws {
        try await LoopbackServer.run({ _ in Self.answer }) { server in
            let api = try manager(at: server.baseURL)
            let mapping = ObjectMapping(
                for: Profile.self, ["@metadata.query.parameters.userID": "age", "title": "name"])
            try api.add(ResponseDescriptor(mapping))
            let profile: Profile = try await api.get("a", parameters: ["userID": "12"])
            #expect(profile.age == 12 && profile.name == "t")
            let unset: Profile = try await api.get("a")
            #expect(unset.age == 0 && unset.name == "t")
        }
    }

    @Test func buildsMetadataOnlyForMappingsThatReadIt() throws {
        #expect(try !MappingPlan(Article.self).usesMetadata)
        #expect(try MappingCompiler().compile(Self.mapping("@metadata.x")).usesMetadata)
        var nested = ObjectMapping(for: Article.self, ["title"])
        nested.add(
            RelationshipMapping(
                "author", to: "author",
                mapping: ObjectMapping(for: Author.self, ["@metadata.x": "name"])))
        #expect(try MappingCompiler().compile(nested).usesMetadata)
    }

    @Test func metadataHasOneShape() async throws {
        try await LoopbackServer.run({ _ in Self.answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(
                    try Self.mapping("@metadata.a"), at: "a/:b", keyPath: "users"))
            var request = ObjectRequest<ObjectResponse>(
                .get, at: "a/x", parameters: ["q": 1])
            request.headerFields[.authorization] = "Bearer secret"
            let response = try await api.send(request).value
            let metadata = try #require(response.matches.first?.environment.metadata.first)
            #expect(metadata.root.members.map(\.0) == ["HTTP", "query", "network"])
            #expect(metadata.root["HTTP"]?.members.map(\.0) == ["request", "response"])
            #expect(metadata.root["HTTP"]?["response"]?["status"]?.int64 == 200)
            // Credentials are no metadata.
            #expect(!metadata.debugDescription.contains("secret"))
            #expect(
                metadata.root["network"]?.debugDescription
                    == #"{"arguments":{"users":{"b":"x"}}}"#)
            #expect(metadata.root["query"]?.debugDescription == #"{"parameters":{"q":1}}"#)
        }
    }

    /// Returns a mapping of a source to the name.
    private static func mapping(_ source: String) throws -> ObjectMapping {
        var mapping = ObjectMapping(table: Profile.properties)
        mapping.add(AttributeMapping(try SourcePath(parsing: source), to: "name"))
        return mapping
    }
}
