// SPDX-License-Identifier: Apache-2.0

/// The failure of a check: a type does not meet the requirements of its protocol.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// One line with the expected and the actual result.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a failure unless a condition is true.
func require(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(expectation()) }
}

/// Throws a failure unless two values are equal.
func require<Value: Equatable>(
    _ value: Value, is expected: Value, _ subject: @autoclosure () -> String
) throws {
    try require(value == expected, "\(subject()): \(value), expected \(expected)")
}
