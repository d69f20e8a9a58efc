// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The checks of the conformance kit over libcurl.
@Suite(.tags(.socket), .serialized) struct CurlTransportConformanceTests {
    private static let authority = Result { try TestAuthority() }

    private static let conformance = HTTPTransportConformance(
        make: {
            // The file of authorities for which libcurl was built may not exist on this system.
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .only(.file(try authority.get().certificate))
            return CurlTransport(configuration: configuration)
        }, shutdown: { await $0.shutdown() },
        deviations: [
            HTTPTransportConformance.Deviation(
                "A body in an unknown coding is delivered as it came, for a cache or a reader to decode.",
                .fails(isIntermittent: false), checks: ["rejects an unknown content coding"])
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
