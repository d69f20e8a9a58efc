// SPDX-License-Identifier: Apache-2.0

import RestTesting
import TestSupport
import Testing

/// The checks of the conformance kit over libcurl, except those of threats.
@Suite(.tags(.socket), .serialized) struct CurlTransportConformanceTests {
    @Test(arguments: Adapter.curl.otherChecks)
    func conforms(check: HTTPTransportConformance.Check) async throws {
        try await check.run()
    }

    @Test(.withoutSanitizer) func leaksNoResources() async {
        await #expect(processExitsWith: .success) {
            // An error that is thrown from here ends the process without a description.
            do {
                try await Adapter.curl.conformance.runLeakChecks()
            } catch {
                Issue.record(error)
            }
        }
    }
}
