// SPDX-License-Identifier: Apache-2.0

/// Why a type does not do what its protocol promises.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// One line: what was expected and what came instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a failure unless a condition holds.
func require(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expectation()) }
}

/// Throws a failure unless two values are equal.
func require<Value: Equatable>(
    _ value: Value, is expected: Value, _ what: @autoclosure () -> String
) throws {
    try require(value == expected, "\(what()): \(value), expected \(expected)")
}
