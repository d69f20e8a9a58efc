// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// Answers and credentials that are older than what was sent since.
@MainActor @Suite struct StaleAnswerTests {
    @Test("lagging replica → no flicker")
    func laggingReplicaIsIgnored() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": "A"])
        fixture.server.behavior.replicaLag = .seconds(3600)
        note.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        for _ in 0..<2 {
            _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
            #expect(try fixture.rows("SELECT title, revision FROM Note") == ["B|2"])
            try await fixture.outbox.drain()
        }
        #expect(fixture.server.requests.count { $0.hasPrefix("PATCH") } == 1)
        fixture.server.behavior.replicaLag = .zero
        fixture.server.change("notes", 1, ["title": "C"])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.rows("SELECT title, revision FROM Note") == ["C|3"])
    }

    @Test("token expired since → current one is used")
    func currentCredentialsAreSent() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": "A"])
        let api = fixture.api
        fixture.server.fail("PATCH", .status(503))
        fixture.server.hold { request in
            guard request.method == .patch else { return }
            api.configure { $0.client.defaultHeaders[.authorization] = "current-token" }
        }
        note.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        let patches = fixture.server.received.filter { $0.method == .patch }
        #expect(
            patches.map { $0.headerFields[.authorization] } == ["secret-token", "current-token"])
        #expect(Set(patches.map(\.description)).count == 1)
    }
}
