// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The checks of the conformance kit over libcurl.
// Serialized: each check has servers and clients of its own, and concurrent checks starve each other.
@Suite(.tags(.socket), .serialized) struct CurlTransportConformanceTests {
    typealias Check = HTTPTransportConformance.Check

    private static let conformance = HTTPTransportConformance(
        make: { CurlTransport() }, shutdown: { await $0.shutdown() }, deviations: deviations)

    private static let deviations = [
        HTTPTransportConformance.Deviation(
            "A body in an unknown coding is delivered as it came, for a cache or a reader to decode.",
            .fails(isIntermittent: false), checks: ["rejects an unknown content coding"])
    ]

    @Test(arguments: conformance.exchanges + conformance.connections)
    func exchangesMessages(check: Check) async throws {
        try await check.run()
    }

    @Test(.threat("T17"), arguments: conformance.statuses)
    func handlesStatusCodes(check: Check) async throws {
        try await check.run()
    }

    @Test(arguments: conformance.contentCodings + conformance.streaming)
    func deliversBodies(check: Check) async throws {
        try await check.run()
    }

    @Test(.threat("T16"), arguments: conformance.limits)
    func enforcesLimits(check: Check) async throws {
        try await check.run()
    }

    @Test(.threat("T12"), arguments: conformance.decompressionBombs)
    func stopsDecompressionBombs(check: Check) async throws {
        try await check.run()
    }

    @Test(.threat("T13"), arguments: conformance.timeouts)
    func enforcesTimeouts(check: Check) async throws {
        try await check.run()
        #expect(TransportLimits.default.totalTimeout == .seconds(60))
    }

    @Test(.threat("T15"), arguments: conformance.framing)
    func neverMisreadsFraming(check: Check) async throws {
        try await check.run()
    }

    @Test(arguments: conformance.truncations + conformance.faults)
    func reportsFaults(check: Check) async throws {
        try await check.run()
    }

    @Test(.tags(.concurrency), arguments: conformance.cancellations)
    func endsOnCancellationAndShutdown(check: Check) async throws {
        try await check.run()
    }

    /// Runs in a process of its own, where nothing else opens descriptors or threads.
    @Test(.withoutSanitizer) func leaksNoResources() async throws {
        await #expect(processExitsWith: .success) {
            for check in Self.conformance.resourceLeaks {
                do {
                    try await check.run()
                } catch {
                    Issue.record("\(check.name): \(error)")
                }
            }
        }
    }

    @Test func checkNamesAreUnique() {
        let names = Self.conformance.checks.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func deviationsNameExistingChecks() {
        let declared = Self.deviations.flatMap(\.checks)
        #expect(Set(declared).count == declared.count)
        #expect(Set(declared).subtracting(Self.conformance.checks.map(\.name)) == [])
    }
}
