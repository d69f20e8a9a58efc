// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// Answers to creations that have no body.
@MainActor @Suite struct LocatedCreationTests {
    private static func fixture(
        _ creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600))
    ) async throws -> OfflineFixture {
        var behavior = SimulatedAPI.Behavior()
        behavior.answersWithResources = false
        return try await OfflineFixture(behavior: behavior, creation: creation)
    }

    @Test(arguments: [.idempotencyKey(lifetime: .seconds(3600)), .atMostOnce] as [CreationRule])
    func locationNamesCreatedObject(creation: CreationRule) async throws {
        let fixture = try await Self.fixture(creation)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["101|A"])
        fixture.context.refreshAllObjects()
        note.title = "B"
        try fixture.save()
        try await fixture.send()
        #expect(fixture.server.value("notes", 101, "title") == "B")
        #expect(fixture.requests("POST").count == 1)
    }

    /// The server may have changed the sent values.
    @Test func objectIsReadAfterItsLocation() async throws {
        let fixture = try await Self.fixture()
        let gate = fixture.gate(after: .post)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        await gate.arrivals()
        fixture.server.change("notes", 101, ["title": .string("normalized")])
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        try await fixture.send()
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["101|normalized"])
        #expect(fixture.requests("PATCH").isEmpty)
    }

    /// Without an identity, the object of the server and the row would be two.
    @Test(arguments: [.idempotencyKey(lifetime: .seconds(3600)), .atMostOnce] as [CreationRule])
    func unnamedObjectIsAdoptedFromList(creation: CreationRule) async throws {
        let fixture = try await Self.fixture(creation)
        fixture.server.fail("POST", .status(201, body: "", isExecuted: true))
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .uncertain)
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        try await fixture.send()
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["101|A"])
        #expect(fixture.requests("POST").count == 1)
        #expect(try await fixture.outbox.entries().isEmpty)
    }

    /// An object that is sent without an outbox.
    @Test(arguments: ["/labels/101", "labels/101", "https://notes.example.com/labels/101?a=1"])
    func locationNamesObjectOfPost(location: String) async throws {
        let fixture = try await Self.fixture()
        fixture.server.fail(
            "POST", .status(201, headerFields: [.location: location], body: "", isExecuted: true))
        let label = try Label.insert(into: fixture.context, name: "L")
        try await fixture.api.post(label)
        #expect(label.id == 101)
        #expect(label.name == "L")
        #expect(try fixture.rows("SELECT id, name FROM Label") == ["101|L"])
    }

    @Test(arguments: ["/jobs/5", "https://other.example.com/labels/101", "/labels/x", "%"])
    func otherLocationsNameNoObject(location: String) async throws {
        let fixture = try await Self.fixture()
        fixture.server.fail(
            "POST", .status(202, headerFields: [.location: location], body: "", isExecuted: true))
        let label = try Label.insert(into: fixture.context, name: "L")
        _ = try? await fixture.api.post(label)
        #expect(label.id == nil)
        #expect(label.name == "L")
    }
}
