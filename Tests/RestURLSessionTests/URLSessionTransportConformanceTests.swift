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

    @Test(.threat("T12", "T13", "T15", "T16", "T17"), arguments: conformance.checks)
    func conforms(check: HTTPTransportConformance.Check) async throws {
        try await check.run()
    }

    @Test(.withoutSanitizer) func leaksNoResources() async {
        await #expect(processExitsWith: .success) {
            // An error that is thrown from here ends the process without a description.
            do { try await Self.conformance.runLeakChecks() } catch { Issue.record(error) }
        }
    }
}
