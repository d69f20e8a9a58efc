// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTesting
import RestTransport
import Testing

/// The requests that a simulated server understands.
@Suite struct SimulatedAPITests {
    private static func server(
        _ configure: (inout SimulatedAPI.Behavior) -> Void = { _ in }
    ) -> SimulatedAPI {
        var behavior = SimulatedAPI.Behavior()
        configure(&behavior)
        let server = SimulatedAPI(behavior, clock: ManualClock())
        server.put("notes", 1, ["title": "A", "labels": [1, 2]])
        server.put("notes", 2, ["title": "B C"])
        return server
    }

    /// Sends a request, and returns the status and the body.
    @discardableResult private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: Document? = nil,
        _ server: SimulatedAPI
    ) async throws -> (status: Int, body: Document?) {
        var request = TransportRequest(
            method: method, url: try HTTPURL(parsing: "https://api.example.com/\(path)"))
        try request.setHeader("token", for: "Authorization")
        if let body { request.body = .bytes(JSONWriter.compact.bytes(of: body)) }
        let response = try await server.send(request)
        let bytes = try await response.body.collect()
        return (response.head.status.code, try? Document(parsing: bytes))
    }

    @Test func memberOfListIsAddedAndRemoved() async throws {
        let server = Self.server()
        #expect(try await send(.put, "notes/1/labels/3", nil, server).status == 204)
        #expect(try await send(.put, "notes/1/labels/3", nil, server).status == 204)
        #expect(server.value("notes", 1, "labels") == [1, 2, 3])
        #expect(try await send(.delete, "notes/1/labels/1", nil, server).status == 204)
        #expect(try await send(.delete, "notes/1/labels/1", nil, server).status == 404)
        #expect(server.value("notes", 1, "labels") == [2, 3])
        #expect(server.resources("notes")["1"]?.version == 4)
        #expect(server.effects.count == 3)
        #expect(try await send(.put, "notes/9/labels/3", nil, server).status == 404)
    }

    @Test func listIsSearchedByDeclaredMembers() async throws {
        let server = Self.server { $0.searchMembers = ["title"] }
        let found = try await send(.get, "notes?title=B%20C&page=1", nil, server).body
        #expect(found?.root.count == 1)
        #expect(found?.root.elements.map { $0["id"]?.int64 } == [2])
        #expect(try await send(.get, "notes?title=D", nil, server).body?.root.count == 0)
        // Other parameters select nothing.
        #expect(try await send(.get, "notes?text=D", nil, server).body?.root.count == 2)
        #expect(server.received.map(\.query) == ["title=B%20C&page=1", "title=D", "text=D"])
        #expect(server.received.map(\.path) == ["notes", "notes", "notes"])
    }

    @Test func keyInBodyIsRemembered() async throws {
        let server = Self.server { $0.keyMember = "token" }
        let body: Document = ["title": "N", "token": "k"]
        let first = try await send(.post, "notes", body, server)
        let second = try await send(.post, "notes", body, server)
        #expect(first.status == 201)
        #expect(second.body == first.body)
        #expect(server.resources("notes").count == 3)
        #expect(server.resources("notes")["101"]?.members.keys.sorted() == ["title"])
        let other: Document = ["title": "O", "token": "k"]
        #expect(try await send(.post, "notes", other, server).status == 422)
    }

    @Test func representationHasTagAndTime() async throws {
        let server = Self.server {
            $0.tagMember = "etag"
            $0.modificationMember = "updated"
        }
        try await send(.patch, "notes/1", ["title": "Z", "etag": "x", "updated": "y"], server)
        let body = try await send(.get, "notes/1", nil, server).body
        #expect(body?.root["etag"]?.string == "\"2\"")
        #expect(body?.root["updated"]?.string == "2026-01-01T00:00:00Z")
        #expect(server.resources("notes")["1"]?.members.keys.sorted() == ["labels", "title"])
        server.behavior.entityTags = .weak
        let list = try await send(.get, "notes", nil, server).body
        #expect(list?.root.elements.map { $0["etag"]?.string } == ["W/\"2\"", "W/\"1\""])
    }

    @Test func batchExecutesPartsWithTheirFaults() async throws {
        let server = Self.server {
            $0.batchPath = "$batch"
            $0.credentials = ["token"]
        }
        server.fail("PATCH", .lostAnswer)
        server.fail("DELETE", .status(403))
        let body: Document = [
            "requests": [
                ["id": "a", "method": "POST", "url": "/notes", "body": ["title": "N"]],
                ["id": "b", "method": "PATCH", "url": "/notes/1", "body": ["title": "Z"]],
                ["id": "c", "method": "DELETE", "url": "/notes/2"],
                [
                    "id": "d", "method": "PATCH", "url": "/notes/2",
                    "headers": ["If-Match": "\"7\""], "body": ["title": "Z"],
                ],
            ]
        ]
        let answer = try await send(.post, "$batch", body, server)
        #expect(answer.status == 200)
        let parts = answer.body?.root["responses"]?.elements.map {
            "\($0["id"]?.string ?? "") \($0["status"]?.int64 ?? 0)"
        }
        // A part whose answer is lost has none.
        #expect(parts == ["a 201", "c 403", "d 412"])
        let identities = answer.body?.root["responses"]?.elements.map {
            $0["body"]?["id"]?.int64
        }
        #expect(identities == [101, nil, nil])
        #expect(server.value("notes", 1, "title") == "Z")
        #expect(server.value("notes", 2, "title") == "B C")
        #expect(try await send(.post, "$batch", ["x": 1], server).status == 400)
    }

    @Test func planChoosesFaults() async throws {
        let server = SimulatedAPI(plan: .inOrder([.status(503), nil]), clock: ManualClock())
        #expect(try await send(.get, "notes", nil, server).status == 503)
        #expect(try await send(.get, "notes", nil, server).status == 200)
        #expect(try await send(.get, "notes", nil, server).status == 200)
    }
}
