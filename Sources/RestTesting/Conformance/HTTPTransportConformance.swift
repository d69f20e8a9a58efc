// SPDX-License-Identifier: Apache-2.0

public import RestTransport

/// What every ``RestTransport/HTTPTransport`` has to do, as checks over real sockets.
///
/// ```swift
/// @Suite struct MyTransportTests {
///     static let conformance = HTTPTransportConformance(
///         make: { MyTransport() }, shutdown: { await $0.shutdown() })
///
///     @Test(arguments: conformance.checks)
///     func conforms(check: HTTPTransportConformance.Check) async throws {
///         try await check.run()
///     }
/// }
/// ```
///
/// Each check has a server of its own on 127.0.0.1, which plays what an HTTP server may do and what it
/// must not, and a transport of its own below an `HTTPClient`, which guards the limits of transports
/// that count none. Run the checks one after the other: some measure the process.
public struct HTTPTransportConformance: Sendable {
    let bench: TransportBench
    let differences: [Difference]

    /// Describes a transport to be checked.
    ///
    /// - Parameters:
    ///   - make: Makes a fresh transport with its defaults.
    ///   - shutdown: Ends a transport and all its exchanges.
    ///   - differences: What is known to be different, and why.
    public init<Transport: HTTPTransport & AnyObject>(
        make: @escaping @Sendable () throws -> Transport,
        shutdown: @escaping @Sendable (Transport) async -> Void,
        differences: [Difference] = []
    ) {
        bench = TransportBench {
            let transport = try make()
            return TransportBench.Machine(transport: transport) { await shutdown(transport) }
        }
        self.differences = differences
    }

    /// All checks, in an order from the plain to the wicked.
    public var checks: [Check] {
        exchanges + connections + statuses + codings + streaming + limits + bombs + times + framing
            + cuts + faults + cancellations + leftovers
    }

    /// A check makes one promise and tries to break it.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, in words; no two checks have the same.
        public let name: String

        /// What is known to be different here.
        public let difference: Difference?

        private let bench: TransportBench
        private let work: @Sendable (TransportBench) async throws -> Void

        init(
            _ name: String, of conformance: HTTPTransportConformance,
            _ work: @escaping @Sendable (TransportBench) async throws -> Void
        ) {
            self.name = name
            let difference = conformance.differences.first { $0.checks.contains(name) }
            self.difference = difference
            var bench = conformance.bench
            if case .alsoEnds(let codes, let stages) = difference?.effect {
                bench.alsoAcceptedCodes = codes
                bench.alsoAcceptedStages = stages
            }
            self.bench = bench
            self.work = work
        }

        /// The name.
        public var description: String { name }

        /// Whether ``run()`` does anything.
        public var isRun: Bool {
            if case .isNotRun = difference?.effect { return false }
            return true
        }

        /// Tries to break the promise.
        ///
        /// - Throws: ``ConformanceFailure`` when the promise is broken; when it is kept although a
        ///   difference says that it is not; and after two minutes without an end.
        public func run() async throws {
            switch difference?.effect {
            case .isNotRun:
                return
            case .fails(let isCertain):
                do {
                    try await bench.runInTime(work)
                } catch {
                    return
                }
                if isCertain {
                    throw ConformanceFailure("passes, although a difference is declared")
                }
            case .alsoEnds, nil:
                try await bench.runInTime(work)
            }
        }
    }

    /// A known difference of a transport.
    public struct Difference: Sendable {
        /// What a difference does to its checks.
        public enum Effect: Sendable {
            /// The check ends the process or damages what other checks measure.
            case isNotRun

            /// The check fails: always, or at times.
            case fails(isCertain: Bool)

            /// Errors that are expected may have these codes, and come at these stages, too.
            case alsoEnds([TransportError.Code], at: [TransportError.Stage])
        }

        /// The names of the checks.
        public let checks: [String]

        /// Why the transport is different.
        public let reason: String

        /// What it does to the checks.
        public let effect: Effect

        /// Declares a difference.
        ///
        /// - Parameters:
        ///   - reason: Why the transport is different.
        ///   - effect: What it does to the checks.
        ///   - checks: The names of the checks.
        public init(_ reason: String, _ effect: Effect, checks: [String]) {
            self.reason = reason
            self.effect = effect
            self.checks = checks
        }
    }
}
