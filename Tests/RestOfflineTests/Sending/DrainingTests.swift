// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// Sending in a limited time.
@MainActor @Suite struct DrainingTests {
    @Test func drainingEndsWhenAllIsSent() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        note.title = "B"
        try fixture.save()
        let summary = try await fixture.outbox.drain(until: .now + 3600)
        #expect(summary.unsentCount == 0)
        // The outbox goes on.
        note.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
    }

    @Test func drainingEndsBeforeObjectsAreRead() async throws {
        var configuration = OfflineFixture.quick
        configuration.concurrentRequestCount = 2
        let fixture = try await OfflineFixture(configuration)
        fixture.server.behavior.answersWithResources = false
        for id in 1...3 { fixture.server.put("notes", id, ["title": "A"]) }
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        for note in try fixture.context.fetch(Note.self) { note.title = "B" }
        // The answers say nothing of the values, so that more objects are read than there may be requests.
        let gate = fixture.gate(before: .get)
        try fixture.save()
        let summary = try await fixture.outbox.drain()
        #expect(summary.unsentCount == 0)
        await gate.arrivals(2)
        gate.open()
        try await fixture.outbox.settle()
        #expect(try fixture.rows("SELECT count(*) FROM restkit_edit") == ["0"])
    }

    @Test func drainingStopsAtItsTime() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        note.title = "B"
        try fixture.save()
        await gate.arrivals()
        let summary = try await fixture.outbox.drain(until: .now)
        #expect(summary.unsentCount == 1)
        #expect(try fixture.rows("SELECT owner FROM restkit_outbox") == ["-"])
        let other = try await fixture.load(2, ["title": .string("B")])
        other.title = "C"
        try fixture.save()
        // The answer of the request in progress counts, and no other request begins.
        gate.open()
        for try await state in try fixture.outbox.states(of: note) where state == .synced { break }
        #expect(fixture.server.value("notes", 2, "title") == .string("B"))
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: other) == .accepted)
    }

    @Test func cancelledDrainingStops() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        note.title = "B"
        try fixture.save()
        await gate.arrivals()
        let outbox = fixture.outbox
        let task = Task { try await outbox.drain(until: .distantFuture) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        outbox.resume()
        #expect(try await outbox.outcome(of: note) == .accepted)
    }
}
