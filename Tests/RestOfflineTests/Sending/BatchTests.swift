// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// The entries of one save as one request.
@MainActor @Suite struct BatchTests {
    private static func fixture() async throws -> OfflineFixture {
        var configuration = OfflineFixture.quick
        configuration.batch = OutboxBatch(at: "$batch")
        var behavior = SimulatedAPI.Behavior()
        behavior.batchPath = "$batch"
        return try await OfflineFixture(configuration, behavior: behavior)
    }

    /// Returns the requests of the endpoint.
    private static func batches(_ fixture: OfflineFixture) -> [SimulatedRequest] {
        fixture.server.received.filter { $0.path == "$batch" }
    }

    @Test func savesAreSentAsOneRequestEach() async throws {
        let fixture = try await Self.fixture()
        let (context, outbox) = (fixture.context, fixture.outbox)
        let notes = try (0..<3).map { try Note.insert(into: context, title: "N\($0)") }
        try await context.save()
        try await outbox.drain()
        context.refreshAllObjects()
        #expect(Self.batches(fixture).count == 1)
        #expect(fixture.server.resources("notes").count == 3)
        #expect(notes.allSatisfy { $0.id != nil })
        for note in notes {
            let id = try #require(note.id)
            #expect(fixture.server.value("notes", id, "title") == .string(note.title))
        }
        // Credentials are those of the request, and not of its parts.
        let batch = try #require(Self.batches(fixture).first)
        #expect(batch.headerFields[.authorization] == "secret-token")
        #expect(!batch.description.contains("secret-token"))
        #expect(batch.description.contains("Idempotency-Key"))
    }

    @Test func eachPartIsAnsweredForItself() async throws {
        let fixture = try await Self.fixture()
        let (context, outbox) = (fixture.context, fixture.outbox)
        for id in 1...3 { fixture.server.put("notes", id, ["title": .string("A\(id)")]) }
        try await fixture.reload(Note.self, 1)
        let notes = try context.fetch(Note.self).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        fixture.server.fail("DELETE", .status(403))
        notes[0].title = "B"
        context.delete(notes[1])
        notes[2].title = "C"
        try await context.save()
        #expect(try await outbox.outcome(of: notes[0]) == .accepted)
        #expect(try await outbox.outcome(of: notes[2]) == .accepted)
        try await outbox.drain()
        #expect(Self.batches(fixture).count == 1)
        #expect(try await outbox.summary().refusedCount == 1)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        #expect(fixture.server.value("notes", 2, "title") == .string("A2"))
        #expect(fixture.server.value("notes", 3, "title") == .string("C"))
    }

    @Test func dependantFollowsInAnotherRequest() async throws {
        let fixture = try await Self.fixture()
        let (context, outbox) = (fixture.context, fixture.outbox)
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
        let friend = fixture.server.value("people", id, "friend")?.root["id"]?.int64
        #expect(friend == second.id.map { Int64($0) })
        #expect(try await outbox.summary().unsentCount == 0)
        #expect(Self.batches(fixture).count == 1)
    }

    @Test func singleEditIsSentAlone() async throws {
        let fixture = try await Self.fixture()
        let (context, outbox) = (fixture.context, fixture.outbox)
        _ = try Note.insert(into: context, title: "A")
        try await context.save()
        try await outbox.drain()
        #expect(Self.batches(fixture).isEmpty)
        #expect(fixture.server.resources("notes").count == 1)
    }

    @Test(arguments: [404, 405, 501])
    func endpointThatRefusesLetsPartsBeSentAlone(_ status: Int) async throws {
        let fixture = try await Self.fixture()
        fixture.server.fail("POST", .status(status))
        let (context, outbox) = (fixture.context, fixture.outbox)
        for title in ["A", "B"] { _ = try Note.insert(into: context, title: title) }
        try await context.save()
        try await outbox.drain()
        #expect(Self.batches(fixture).count == 1)
        #expect(fixture.server.resources("notes").count == 2)
        #expect(try await outbox.summary().unsentCount == 0)
    }

    @Test func failureOfEndpointIsThatOfParts() async throws {
        let fixture = try await Self.fixture()
        fixture.server.fail("POST", .status(429))
        let (context, outbox) = (fixture.context, fixture.outbox)
        let notes = try ["A", "B"].map { try Note.insert(into: context, title: $0) }
        try await context.save()
        for note in notes { #expect(try await outbox.outcome(of: note) == .accepted) }
        #expect(fixture.server.resources("notes").count == 2)
    }

    @Test func pathThatIsNotValidIsRefused() async throws {
        let store = try await ManagedObjectStore(temporaryFor: Folder.self, Note.self)
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
