// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTesting
import TestSupport
import Testing

/// The checks of the conformance kit over libcurl.
@Suite(.tags(.socket), .serialized) struct CurlTransportConformanceTests {
    private static let conformance = HTTPTransportConformance(
        make: { CurlTransport() }, shutdown: { await $0.shutdown() },
        deviations: [
            HTTPTransportConformance.Deviation(
                "A body in an unknown coding is delivered as it came, for a cache or a reader to decode.",
                .fails(isIntermittent: false), checks: ["rejects an unknown content coding"])
        ])

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
