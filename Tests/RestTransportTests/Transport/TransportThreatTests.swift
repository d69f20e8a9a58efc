// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The threats that checks of the conformance kit prove, over every adapter that withstands them.
@Suite(.tags(.socket), .serialized) struct TransportThreatTests {
    @Test(.threat("T12"), arguments: Adapter.allCases, ThreatChecks.decompression)
    func stopsDecompressionBombs(adapter: Adapter, name: String) async throws {
        try await ThreatChecks.run(name, over: adapter)
    }

    @Test(.threat("T13"), arguments: Adapter.allCases, ThreatChecks.silence)
    func endsAtTimeLimits(adapter: Adapter, name: String) async throws {
        try await ThreatChecks.run(name, over: adapter)
    }

    @Test(.threat("T15"), arguments: ThreatChecks.readers, ThreatChecks.framing)
    func neverMisreadsFraming(adapter: Adapter, name: String) async throws {
        try await ThreatChecks.run(name, over: adapter)
    }

    @Test(.threat("T16"), arguments: ThreatChecks.readers, ThreatChecks.headers)
    func limitsHeaders(adapter: Adapter, name: String) async throws {
        try await ThreatChecks.run(name, over: adapter)
    }

    @Test(.threat("T17"), arguments: ThreatChecks.readers, ThreatChecks.statuses)
    func definesEveryStatus(adapter: Adapter, name: String) async throws {
        try await ThreatChecks.run(name, over: adapter)
    }
}
