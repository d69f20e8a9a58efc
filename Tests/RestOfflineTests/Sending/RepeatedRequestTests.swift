// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// Requests that are sent again after a change of the program.
@MainActor @Suite struct RepeatedRequestTests {
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
