// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestTransport
import TestSupport
import Testing

/// Every check of the conformance kit over every adapter.
// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct ConformanceTests {
    /// A check of one adapter.
    struct Case: Sendable, CustomTestStringConvertible {
        let adapter: Adapter
        let check: HTTPTransportConformance.Check

        var testDescription: String { "\(adapter.rawValue) \(check.name)" }

        static func all(
            _ checks: (HTTPTransportConformance) -> [HTTPTransportConformance.Check]
        ) -> [Case] {
            Adapter.allCases.flatMap { adapter in
                checks(adapter.conformance).map { Case(adapter: adapter, check: $0) }
            }
        }
    }

    @Test(arguments: Case.all { $0.exchanges + $0.connections })
    func exchangesWhatIsSaid(example: Case) async throws {
        try await example.check.run()
    }

    @Test(.threat("T17"), arguments: Case.all(\.statuses))
    func definesWhatEveryStatusMeans(example: Case) async throws {
        try await example.check.run()
    }

    @Test(arguments: Case.all { $0.codings + $0.streaming })
    func bringsBodies(example: Case) async throws {
        try await example.check.run()
    }

    @Test(.threat("T16"), arguments: Case.all(\.limits))
    func countsHeadersAndBodies(example: Case) async throws {
        try await example.check.run()
    }

    @Test(.threat("T12"), arguments: Case.all(\.bombs))
    func endsBombs(example: Case) async throws {
        try await example.check.run()
    }

    @Test(.threat("T13"), arguments: Case.all(\.times))
    func endsSilenceAndDrips(example: Case) async throws {
        try await example.check.run()
        #expect(TransportLimits.default.totalTimeout == .seconds(60))
    }

    @Test(.threat("T15"), arguments: Case.all(\.framing))
    func takesNoWrongBody(example: Case) async throws {
        try await example.check.run()
    }

    @Test(arguments: Case.all { $0.cuts + $0.faults })
    func reportsFaults(example: Case) async throws {
        try await example.check.run()
    }

    @Test(.tags(.concurrency), arguments: Case.all(\.cancellations))
    func endsWhenAskedTo(example: Case) async throws {
        try await example.check.run()
    }

    /// In a process of its own, where nothing else opens descriptors or threads.
    @Test(.withoutSanitizer, arguments: Adapter.allCases)
    func leavesNothingBehind(adapter: Adapter) async throws {
        await #expect(processExitsWith: .success) { [adapter] in
            for check in adapter.conformance.leftovers {
                do {
                    try await check.run()
                } catch {
                    Issue.record("\(check.name): \(error)")
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func declaresDifferencesOfChecksThatAreThere(adapter: Adapter) {
        let names = adapter.conformance.checks.map(\.name)
        #expect(Set(names).count == names.count)
        let declared = adapter.differences.flatMap(\.checks)
        #expect(Set(declared).count == declared.count)
        #expect(Set(declared).subtracting(names) == [])
    }
}
