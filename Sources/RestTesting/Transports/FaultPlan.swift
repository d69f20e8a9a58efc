// SPDX-License-Identifier: Apache-2.0

/// A plan that chooses the fault of each exchange, of a transport or of a simulated server.
///
/// ```swift
/// let flaky = FaultInjectingTransport.Plan.inOrder(
///     [.reset(at: .connecting), .status(.serviceUnavailable), nil])
/// let chaos = SimulatedAPI.Plan.random(seed: 42, probability: 0.3, of: [.lostAnswer, .status(503)])
/// ```
public struct FaultPlan<Request: Sendable, Fault: Sendable>: Sendable {
    /// A closure that returns the fault of an exchange, or `nil`, given the request and its index.
    public typealias Choice = @Sendable (Request, _ index: Int) -> Fault?

    package let choice: Choice

    /// Creates a plan.
    ///
    /// - Parameter choice: A closure that returns the fault of an exchange, or `nil` for none. Several
    ///   tasks may call it concurrently.
    public init(_ choice: @escaping Choice) {
        self.choice = choice
    }

    /// The plan without faults.
    public static var faultless: FaultPlan { FaultPlan { _, _ in nil } }

    /// Returns a plan with the same fault for every exchange.
    public static func always(_ fault: Fault) -> FaultPlan {
        FaultPlan { _, _ in fault }
    }

    /// Returns a plan with the next fault for each exchange, and no fault after the last.
    public static func inOrder(_ faults: [Fault?]) -> FaultPlan {
        FaultPlan { _, index in index < faults.count ? faults[index] : nil }
    }

    /// Returns a plan with pseudorandom faults, which are the same for the same seed and index.
    ///
    /// - Parameters:
    ///   - seed: The seed of the sequence.
    ///   - probability: The probability of a fault, from 0 to 1.
    ///   - faults: The possible faults, which are equally likely; at least one.
    /// - Returns: The plan.
    public static func random(
        seed: UInt64, probability: Double, of faults: [Fault]
    ) -> FaultPlan {
        precondition(!faults.isEmpty, "at least one fault is required")
        return FaultPlan { _, index in
            var seeds = SplitMix64(seed: seed)
            var random = SplitMix64(seed: seeds.next() ^ UInt64(index))
            guard Double.random(in: 0..<1, using: &random) < probability else { return nil }
            return faults[random.next(below: faults.count)]
        }
    }
}
