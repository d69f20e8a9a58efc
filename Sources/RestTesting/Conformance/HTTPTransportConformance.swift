// SPDX-License-Identifier: Apache-2.0

public import RestTransport

/// The conformance kit of ``/RestTransport/HTTPTransport``: checks over real sockets.
///
/// ```swift
/// @Suite(.serialized) struct MyTransportTests {
///     static let conformance = HTTPTransportConformance(
///         make: { MyTransport() }, shutdown: { await $0.shutdown() })
///
///     @Test(arguments: conformance.checks)
///     func conforms(check: HTTPTransportConformance.Check) async throws {
///         try await check.run()
///     }
///
///     @Test func leaksNoResources() async {
///         await #expect(processExitsWith: .success) {
///             do { try await conformance.runLeakChecks() } catch { Issue.record(error) }
///         }
///     }
/// }
/// ```
///
/// Each check has its own server on 127.0.0.1, which sends valid and invalid HTTP, and its own
/// transport below an `HTTPClient`. The client enforces the limits for transports that do not enforce
/// limits themselves. Run the checks one after the other, because they compete for the processor, and
/// ``runLeakChecks()`` in a process in which nothing else opens descriptors or threads.
public struct HTTPTransportConformance: Sendable {
    let harness: ConformanceHarness
    let deviations: [Deviation]

    /// Creates the checks of a transport.
    ///
    /// - Parameters:
    ///   - make: Returns a new transport in its default configuration.
    ///   - shutdown: Ends a transport and all its exchanges.
    ///   - deviations: The known deviations of the transport.
    public init<Transport: HTTPTransport & AnyObject>(
        make: @escaping @Sendable () throws -> Transport,
        shutdown: @escaping @Sendable (Transport) async -> Void,
        deviations: [Deviation] = []
    ) {
        harness = ConformanceHarness {
            let transport = try make()
            return ConformanceHarness.Instance(transport: transport) { await shutdown(transport) }
        }
        self.deviations = deviations
    }

    /// All checks except those of ``runLeakChecks()``, from valid exchanges to malicious servers.
    public var checks: [Check] {
        let checks =
            exchanges + connections + statuses + contentCodings + streaming + limits
            + decompressionBombs + timeouts + framing + truncations + faults + cancellations
        return [consistency(of: checks + resourceLeaks)] + checks
    }

    /// The check that each name occurs once, and that deviations name existing checks, each once.
    private func consistency(of checks: [Check]) -> Check {
        let names = checks.map(\.name)
        let declared = deviations.flatMap(\.checks)
        return Check("declares deviations of existing checks", of: self) { _ in
            for list in [names, declared] {
                let duplicates = Dictionary(grouping: list) { $0 }.filter { $1.count > 1 }.keys
                try require(duplicates.isEmpty, "listed twice: \(duplicates.sorted())")
            }
            let unknown = Set(declared).subtracting(names)
            try require(unknown.isEmpty, "deviations of unknown checks: \(unknown.sorted())")
        }
    }

    /// Runs the checks that no descriptor, thread or transport outlives its use.
    ///
    /// They count the descriptors and threads of the process, so it must not do anything else.
    ///
    /// - Throws: ``ConformanceFailure`` with the results of all failed checks.
    public func runLeakChecks() async throws {
        var failures: [String] = []
        for check in resourceLeaks {
            do {
                try await check.run()
            } catch {
                failures.append("\(check.name): \(error)")
            }
        }
        try require(failures.isEmpty, failures.joined(separator: "\n"))
    }

    /// A check of one required behavior.
    public struct Check: Sendable, CustomStringConvertible {
        /// The behavior in words, unique among all checks.
        public let name: String

        /// The known deviation of the transport from this behavior.
        public let deviation: Deviation?

        private let harness: ConformanceHarness
        private let work: @Sendable (ConformanceHarness) async throws -> Void

        init(
            _ name: String, of conformance: HTTPTransportConformance,
            _ work: @escaping @Sendable (ConformanceHarness) async throws -> Void
        ) {
            self.name = name
            let deviation = conformance.deviations.first { $0.checks.contains(name) }
            self.deviation = deviation
            var harness = conformance.harness
            if case .allows(let codes, let stages) = deviation?.effect {
                harness.additionalCodes = codes
                harness.additionalStages = stages
            }
            self.harness = harness
            self.work = work
        }

        /// The name.
        public var description: String { name }

        /// A Boolean value that indicates whether ``run()`` does anything.
        public var isEnabled: Bool {
            if case .skips = deviation?.effect { return false }
            return true
        }

        /// Runs the check.
        ///
        /// - Throws: ``ConformanceFailure`` if the transport does not behave as required, if it does
        ///   although a deviation declares that it never does, or if the check takes more than two
        ///   minutes.
        public func run() async throws {
            switch deviation?.effect {
            case .skips:
                return
            case .fails(let isIntermittent):
                do {
                    try await harness.runWithTimeout(work)
                } catch {
                    return
                }
                if !isIntermittent {
                    throw ConformanceFailure("passes, although a deviation is declared")
                }
            case .allows, nil:
                try await harness.runWithTimeout(work)
            }
        }
    }

    /// A known deviation of a transport from required behavior.
    public struct Deviation: Sendable {
        /// The effect of a deviation on its checks.
        public enum Effect: Sendable {
            /// The check is not run, because it would end the process or affect other checks.
            case skips

            /// The check fails, always or only sometimes.
            case fails(isIntermittent: Bool)

            /// Expected errors may also have these codes and occur at these stages.
            case allows([TransportError.Code], at: [TransportError.Stage])
        }

        /// The names of the affected checks.
        public let checks: [String]

        /// The cause of the deviation.
        public let reason: String

        /// The effect on the checks.
        public let effect: Effect

        /// Creates a deviation.
        ///
        /// - Parameters:
        ///   - reason: The cause of the deviation.
        ///   - effect: The effect on the checks.
        ///   - checks: The names of the affected checks.
        public init(_ reason: String, _ effect: Effect, checks: [String]) {
            self.reason = reason
            self.effect = effect
            self.checks = checks
        }
    }
}
