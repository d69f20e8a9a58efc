// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import RestAsyncHTTPClient
import RestTesting
import TestSupport
import Testing

/// The checks of the conformance kit over AsyncHTTPClient.
@Suite(.tags(.socket), .serialized) struct AsyncHTTPClientTransportConformanceTests {
    private static let conformance = HTTPTransportConformance(
        make: {
            var configuration = AsyncHTTPClientTransport.Configuration()
            // A shutdown waits this long for a connection that is not answered.
            configuration.connectionTimeout = .seconds(2)
            return try AsyncHTTPClientTransport(configuration: configuration)
        }, shutdown: { await $0.shutdown() },
        deviations: [
            HTTPTransportConformance.Deviation(
                "A connection returns to the pool after the end of its response was delivered, so that the "
                    + "next request can be sent before it.",
                .fails(isIntermittent: true),
                checks: ["POST", "PATCH"].map { "reuses the connection of an empty \($0)" }),
            HTTPTransportConformance.Deviation(
                "The pool can give a connection to the next request before it reads the bytes that make "
                    + "the connection unsafe; the request then fails.",
                .fails(isIntermittent: true),
                checks: [
                    "a transfer coding in HTTP/1.0", "a transfer coding beside a length",
                    "bytes behind the last chunk", "bytes behind a body",
                    "bytes behind an empty body",
                    "a field with a malformed name", "a field with a control character",
                    "a protocol switch", "bytes behind 204",
                    "bytes behind 304", "bytes behind the response to HEAD",
                ].map { "leaves a connection after \($0)" }),
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
#endif
