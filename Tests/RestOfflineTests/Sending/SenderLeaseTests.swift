// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// The lease of the sender of a file.
@MainActor @Suite struct SenderLeaseTests {
    private nonisolated static let day: TimeInterval = 24 * 3600

    /// The number of the lease, and its end in seconds after a date.
    private func lease(_ fixture: OfflineFixture, since date: Date) throws -> [String] {
        let start = date.timeIntervalSinceReferenceDate
        return try fixture.rows(
            "SELECT fence, CAST(round(lease_end - \(start)) AS INTEGER) FROM restkit_outbox")
    }

    private func send(_ title: String, _ note: Note, _ fixture: OfflineFixture) async throws {
        note.title = title
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
    }

    @Test(arguments: [day, -day])
    func leaseIsRenewedByMonotonicTime(jump: TimeInterval) async throws {
        let clock = ManualClock()
        let fixture = try await OfflineFixture(clock: clock, serverClock: clock)
        let start = clock.date
        let note = try await fixture.load(1, ["title": "A"])
        try await send("B", note, fixture)
        #expect(try lease(fixture, since: start) == ["1|30"])
        clock.date += jump
        try await send("C", note, fixture)
        #expect(try lease(fixture, since: start) == ["1|30"])
        // Half of the duration has passed, whatever the wall clock says.
        clock.advance(by: .seconds(16))
        try await send("D", note, fixture)
        #expect(try lease(fixture, since: start) == ["1|\(Int(jump) + 46)"])
        #expect(fixture.requests("PATCH").count == 3)
    }

    @Test(arguments: [day, -day])
    func senderWithJumpedClockSendsNothingTwice(jump: TimeInterval) async throws {
        let (clock, otherClock) = (ManualClock(), ManualClock())
        let fixture = try await OfflineFixture(clock: clock, serverClock: clock)
        let note = try await fixture.load(1, ["title": "A"])
        try await send("B", note, fixture)
        clock.date += jump
        clock.advance(by: .seconds(16))
        try await send("C", note, fixture)
        let store = try await OfflineFixture.open(fixture.directory)
        let api = try OfflineFixture.manager(fixture.server, nil, clock: otherClock)
        let other = try await OfflineFixture.outbox(
            store, api, OfflineFixture.quick, .idempotencyKey(lifetime: .seconds(3600)))
        // The lease of the other clock ends later than one can, or has ended.
        try await other.drain()
        #expect(try fixture.rows("SELECT fence FROM restkit_outbox") == ["2"])
        note.title = "D"
        try fixture.save()
        while try await fixture.outbox.summary().unsentCount > 0 {
            try await fixture.outbox.drain()
            try await other.drain()
        }
        #expect(fixture.requests("PATCH").count == 3)
        #expect(fixture.server.value("notes", 1, "title") == .string("D"))
        await other.close()
        try store.close()
    }
}
