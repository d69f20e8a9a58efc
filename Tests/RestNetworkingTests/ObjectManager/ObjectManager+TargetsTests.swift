// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerTargetsTests {
    private static let nested = LoopbackResponse.json(
        #"{"data": {"STUser": {"name": "Diego"}}, "meta": {"status": "ok", "version": 0.3}}"#)

    @Test(.parity("N261", "N260")) func updatesTargetAtKeyPath() async throws {
        try await serve(Self.nested) { api, server in
            try api.add(ResponseDescriptor(Profile.self, keyPath: "data.STUser"))
            let target = Profile(name: "before", age: 7)
            var request = ObjectRequest<MappingResult>(at: "JSON/ComplexNestedUser.json")
            request.headerFields[.authorization] = "Basic eDp5"
            let result = try await api.send(request, updating: target).value
            #expect(result.count == 1 && result.first as? Profile === target)
            #expect(target.name == "Diego" && target.age == 7)
            #expect(server.requests.first?.headers["authorization"] == "Basic eDp5")
        }
    }

    @Test(.parity("N180")) func postedObjectOfOtherTypeIsNoTarget() async throws {
        try await serve(Self.nested) { api, _ in
            try api.add(ResponseDescriptor(ResponseInformation.self, keyPath: "meta"))
            let posted = Profile(name: "before")
            let request = ObjectRequest<MappingResult>(
                .post, at: "ComplexUser", object: RequestObject(posted))
            let result = try await api.send(request, updating: posted).value
            #expect(
                result.array as? [ResponseInformation] == [
                    ResponseInformation(status: "ok", version: 0.3)
                ])
            #expect(posted.name == "before")
        }
    }

    @Test(.parity("N181")) func postedObjectIsOneOfTwoResults() async throws {
        try await serve(Self.nested) { api, _ in
            try api.add(
                ResponseDescriptor(Profile.self, keyPath: "data.STUser"),
                ResponseDescriptor(ResponseInformation.self, keyPath: "meta"))
            let posted = Profile(name: "before")
            let request = ObjectRequest<MappingResult>(
                .post, at: "ComplexUser", object: RequestObject(posted))
            let result = try await api.send(request, updating: posted).value
            #expect(result.count == 2)
            #expect(result.objects(of: Profile.self).map { $0 === posted } == [true])
            #expect(posted.name == "Diego")
        }
    }

    @Test(.parity("N264")) func formResponseUpdatesTarget() async throws {
        try await serve(.json(#"{"name": "changed", "age": 31337}"#)) { api, server in
            let posted = Profile(name: "before", age: 1)
            let request = ObjectRequest<MappingResult>(
                .post, at: "notNestedUser", object: RequestObject(posted))
            let response = try await api.send(request, updating: posted)
            #expect(posted.name == "changed" && posted.age == 31337)
            #expect(response.report.objectCount == 1)
            #expect(
                String(decoding: server.requests[0].body, as: UTF8.self) == "age=1&name=before")
        }
    }

    @Test(.parity("N265", "N266"), arguments: [nil, "notNestedUser"])
    func responseOfOtherTypeIsNewObject(path: String?) async throws {
        try await serve(.json(#"{"name": "changed", "id": 31337, "title": "t"}"#)) { api, _ in
            try api.add(ResponseDescriptor(Article.self, at: path))
            let posted = Profile(name: "before", age: 1)
            let request = ObjectRequest<MappingResult>(
                .post, at: "notNestedUser", object: RequestObject(posted))
            let result = try await api.send(request).value
            #expect(result.objects(of: Article.self).map(\.id) == [31337])
            #expect(result.count == 1)
            #expect(posted.name == "before" && posted.age == 1)
        }
    }

    @Test(.parity("N267")) func mappingWithoutPropertiesKeepsTarget() async throws {
        try await serve(.json(#"{"name": "after"}"#, status: 201)) { api, _ in
            try api.add(ResponseDescriptor(ObjectMapping(table: Profile.properties)))
            let target = Profile(name: "before")
            let request = ObjectRequest<MappingResult>(.post, at: "a")
            let result = try await api.send(request, updating: target).value
            #expect(result.first as? Profile === target)
            #expect(target.name == "before")
        }
    }

    @Test(.parity("N179")) func keyPathCollectsFromListElements() async throws {
        let body = #"[{"human": {"name": "a"}}, {"human": {"name": "b"}}]"#
        try await serve(.json(body)) { api, server in
            try api.add(ResponseDescriptor(Author.self, keyPath: "human"))
            let result = try await api.getObjects(at: "JSON/humans/all.json")
            #expect(result.array as? [Author] == [Author(name: "a"), Author(name: "b")])
            #expect(server.requests.map(\.path) == ["/JSON/humans/all.json"])
        }
    }

    @Test(.parity("S045", "S060", "S063"))
    func eachStageFailsWithItsError() async throws {
        try await serve(.json(#"{"name": 1}"#, status: 400)) { api, _ in
            let error = await networkingError { try await api.get("a", as: Author.self) }
            #expect(error?.code == .unexpectedStatus && error?.stage == .response)
        }
        try await serve(.json("{oops")) { api, _ in
            let error = await networkingError { try await api.get("a", as: Author.self) }
            #expect(error?.code == .malformedBody && error?.stage == .parsing)
        }
        // A representation that is found and cannot be mapped is an error.
        try await serve(.json(#"{"name": {}}"#)) { api, _ in
            try api.add(ResponseDescriptor(Author.self))
            let error = await networkingError { try await api.getObjects(at: "a") }
            #expect(error?.code == .mappingFailed && error?.stage == .mapping)
            #expect(error?.underlying is MappingError)
        }
        let closed = try manager(at: "http://127.0.0.1:1/")
        let error = await networkingError { try await closed.get("a", as: Author.self) }
        #expect(error?.code == .transportFailed && error?.underlying is TransportError)
    }

    @Test(.parity("S062")) func acceptsStatusesOfAllDescriptors() async throws {
        for (status, isAccepted) in [(200, true), (304, true), (302, false), (404, false)] {
            // A response with status 304 has no body.
            let answer =
                status == 304
                ? LoopbackResponse(status: 304) : .json(#"{"name": "a"}"#, status: status)
            try await serve(answer) { api, _ in
                try api.add(
                    ResponseDescriptor(Author.self, statusCodes: 200),
                    ResponseDescriptor(Author.self, statusCodes: 304))
                let error = await networkingError { _ = try await api.getObjects(at: "a") }
                #expect((error?.code == .unexpectedStatus) == !isAccepted, "\(status)")
            }
        }
    }

    private func serve(
        _ answer: LoopbackResponse, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in answer }) { server in
            try await work(try manager(at: server.baseURL), server)
        }
    }
}

/// Members that describe a response.
private struct ResponseInformation: Codable, Equatable {
    var status: String
    var version: Double
}
