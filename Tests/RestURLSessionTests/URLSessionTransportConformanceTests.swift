// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestURLSession
import TestSupport
import Testing

/// The checks of the conformance kit over URLSession.
@Suite(.tags(.socket), .serialized) struct URLSessionTransportConformanceTests {
    private static let conformance = HTTPTransportConformance(
        make: { URLSessionTransport() }, shutdown: { $0.shutdown() },
        deviations: isLinux ? FoundationDeviations.onLinux : [])

    @Test(
        arguments: conformance.checks(
            except: ThreatChecks.decompression, ThreatChecks.silence))
    func conforms(check: HTTPTransportConformance.Check) async throws {
        try await check.run()
    }

    @Test(.threat("T12"), arguments: ThreatChecks.decompression) func stopsDecompressionBombs(
        name: String
    ) async throws {
        try await ThreatChecks.run(name, of: Self.conformance)
    }

    @Test(.threat("T13"), arguments: ThreatChecks.silence) func endsAtTimeLimits(name: String)
        async throws
    {
        try await ThreatChecks.run(name, of: Self.conformance)
    }

    @Test(.withoutSanitizer) func leaksNoResources() async {
        await #expect(processExitsWith: .success) {
            // An error that is thrown from here ends the process without a description.
            do { try await Self.conformance.runLeakChecks() } catch { Issue.record(error) }
        }
    }
}
