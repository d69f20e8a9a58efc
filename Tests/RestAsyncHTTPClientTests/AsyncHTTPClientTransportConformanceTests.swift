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

    @Test(
        arguments: conformance.checks(
            except: ThreatChecks.decompression, ThreatChecks.silence, ThreatChecks.framing,
            ThreatChecks.headers, ThreatChecks.statuses))
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

    @Test(.threat("T15"), arguments: ThreatChecks.framing) func neverMisreadsFraming(name: String)
        async throws
    {
        try await ThreatChecks.run(name, of: Self.conformance)
    }

    @Test(.threat("T16"), arguments: ThreatChecks.headers) func limitsHeaders(name: String)
        async throws
    {
        try await ThreatChecks.run(name, of: Self.conformance)
    }

    @Test(.threat("T17"), arguments: ThreatChecks.statuses) func definesEveryStatus(name: String)
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
#endif
