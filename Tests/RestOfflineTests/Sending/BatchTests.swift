// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Synchronization
import Testing

/// The entries of one save as one request.
@MainActor @Suite struct BatchTests {
    /// A server with a batch endpoint over the requests of a note server.
    private final class BatchServer: Sendable {
        let notes = NoteServer()
        let bodies = Mutex<[String]>([])
        let tokens = Mutex<[String?]>([])
        /// The status of the endpoint, in order; 200 afterwards.
        let statuses = Mutex<[Int]>([])

        var transport: StubTransport {
            let inner = notes.transport
            return StubTransport { [self] request in
                guard request.url.requestTarget == "/$batch" else {
                    return try await inner.send(request)
                }
                let bytes = request.body.bytes ?? []
                bodies.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                tokens.withLock { $0.append(request.headerFields[.authorization]) }
                let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
                if status != 200 {
                    return .json("{}", status: HTTPResponse.Status(code: status), to: request)
                }
                let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
                var answers: [[String: Any]] = []
                for item in object?["requests"] as? [[String: Any]] ?? [] {
                    var part = request
                    part.method = HTTPRequest.Method(item["method"] as? String ?? "") ?? .get
                    part.url = try HTTPURL(
                        parsing: "https://notes.example.com" + (item["url"] as? String ?? ""))
                    part.headerFields = [:]
                    for (name, value) in item["headers"] as? [String: String] ?? [:] {
                        try part.setHeader(value, for: name)
                    }
                    part.body = .empty
                    if let body = item["body"] {
                        part.body = .bytes(
                            Array(try JSONSerialization.data(withJSONObject: body)))
                    }
                    let answer = try await inner.send(part)
                    let text = try await answer.body.collect()
                    answers.append([
                        "id": item["id"] ?? "", "status": answer.head.status.code,
                        "body": (try? JSONSerialization.jsonObject(with: Data(text))) ?? NSNull(),
                    ])
                }
                let data = try JSONSerialization.data(withJSONObject: ["responses": answers])
                return .json(String(decoding: data, as: UTF8.self), to: request)
            }
        }
    }

    private static func fixture(
        _ server: BatchServer
    ) async throws -> (store: ManagedObjectStore, api: ObjectManager, outbox: Outbox) {
        let store = try await ManagedObjectStore(
            temporaryFor: Folder.self, Note.self, Photo.self, Person.self)
        var client = try HTTPClient(
            baseURL: "https://notes.example.com/", transport: server.transport)
        client.defaultHeaders[.authorization] = "secret-token"
        let api = try ObjectManager(client: client, requestFormat: .json)
        try OfflineFixture.addRoutes(to: api)
        var configuration = OfflineFixture.quick
        configuration.batch = OutboxBatch(at: "$batch")
        let outbox = try await OfflineFixture.outbox(
            store, api, configuration, .idempotencyKey(lifetime: .seconds(3600)))
        return (store, api, outbox)
    }

    @Test func savesAreSentAsOneRequestEach() async throws {
        let server = BatchServer()
        let (store, _, outbox) = try await Self.fixture(server)
        let context = store.mainContext
        let notes = try (0..<3).map { try Note.insert(into: context, title: "N\($0)") }
        try await context.save()
        try await outbox.drain()
        context.refreshAllObjects()
        #expect(server.bodies.withLock { $0.count } == 1)
        #expect(server.notes.resources("notes").count == 3)
        #expect(notes.allSatisfy { $0.id != nil })
        for note in notes {
            let id = try #require(note.id)
            #expect(server.notes.value("notes", id, "title") == .text(note.title))
        }
        // Credentials are those of the request, and not of its parts.
        #expect(server.tokens.withLock { $0 } == ["secret-token"])
        #expect(server.bodies.withLock { !$0[0].contains("secret-token") })
        #expect(server.notes.tokens.isEmpty)
        #expect(server.bodies.withLock { $0[0].contains("Idempotency-Key") })
    }

    @Test func eachPartIsAnsweredForItself() async throws {
        let server = BatchServer()
        let (store, api, outbox) = try await Self.fixture(server)
        let context = store.mainContext
        for id in 1...3 { server.notes.put("notes", id, ["title": .text("A\(id)")]) }
        _ = try await api.getObjects(Note.self, at: "notes", in: context)
        let notes = try context.fetch(Note.self).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        server.notes.fail("DELETE", .status(403))
        notes[0].title = "B"
        context.delete(notes[1])
        notes[2].title = "C"
        try await context.save()
        #expect(try await outbox.outcome(of: notes[0]) == .accepted)
        #expect(try await outbox.outcome(of: notes[2]) == .accepted)
        try await outbox.drain()
        #expect(server.bodies.withLock { $0.count } == 1)
        #expect(try await outbox.summary().refusedCount == 1)
        #expect(server.notes.value("notes", 1, "title") == .text("B"))
        #expect(server.notes.value("notes", 2, "title") == .text("A2"))
        #expect(server.notes.value("notes", 3, "title") == .text("C"))
    }

    @Test func dependantFollowsInAnotherRequest() async throws {
        let server = BatchServer()
        let (store, _, outbox) = try await Self.fixture(server)
        let context = store.mainContext
        let folder = try Folder.insert(into: context, name: "F")
        _ = try Photo.insert(into: context, id: 5, name: "P")
        let (first, second) = (
            try Person.insert(into: context, name: "1"), try Person.insert(into: context, name: "2")
        )
        first.friend = second
        try await context.save()
        try await outbox.drain()
        context.refreshAllObjects()
        #expect(folder.id != nil)
        let id = try #require(first.id)
        #expect(server.notes.value("people", id, "friend") == second.id.map { .number($0) })
        #expect(try await outbox.summary().unsentCount == 0)
        #expect(server.bodies.withLock { $0.count } == 1)
    }

    @Test func singleEditIsSentAlone() async throws {
        let server = BatchServer()
        let (store, _, outbox) = try await Self.fixture(server)
        _ = try Note.insert(into: store.mainContext, title: "A")
        try await store.mainContext.save()
        try await outbox.drain()
        #expect(server.bodies.withLock { $0.isEmpty })
        #expect(server.notes.resources("notes").count == 1)
    }

    @Test(arguments: [404, 405, 501])
    func endpointThatRefusesLetsPartsBeSentAlone(_ status: Int) async throws {
        let server = BatchServer()
        server.statuses.withLock { $0 = [status] }
        let (store, _, outbox) = try await Self.fixture(server)
        for title in ["A", "B"] { _ = try Note.insert(into: store.mainContext, title: title) }
        try await store.mainContext.save()
        try await outbox.drain()
        #expect(server.bodies.withLock { $0.count } == 1)
        #expect(server.notes.resources("notes").count == 2)
        #expect(try await outbox.summary().unsentCount == 0)
    }

    @Test func failureOfEndpointIsThatOfParts() async throws {
        let server = BatchServer()
        server.statuses.withLock { $0 = [429] }
        let (store, _, outbox) = try await Self.fixture(server)
        let context = store.mainContext
        let notes = try ["A", "B"].map { try Note.insert(into: context, title: $0) }
        try await context.save()
        for note in notes { #expect(try await outbox.outcome(of: note) == .accepted) }
        #expect(server.notes.resources("notes").count == 2)
    }

    @Test func pathThatIsNotValidIsRefused() async throws {
        let store = try await ManagedObjectStore(temporaryFor: Folder.self)
        let api = try ObjectManager(baseURL: "https://notes.example.com/", requestFormat: .json)
        try api.add(Route(Folder.self, "folders/:id"))
        var configuration = OfflineFixture.quick
        configuration.batch = OutboxBatch(at: "ftp://other/")
        let error = await #expect(throws: OutboxError.self) {
            try await Outbox(store: store, manager: api, configuration: configuration) {
                Sends(Folder.self)
            }
        }
        #expect(error?.code == .invalidDeclaration)
    }
}
