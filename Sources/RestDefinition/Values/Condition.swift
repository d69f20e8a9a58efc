// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A condition for a value in a record or in the body of a response.
public struct Condition: Sendable, Equatable {
    /// A comparison.
    public enum Comparison: Sendable, Equatable {
        /// The value exists and is not null.
        case exists
        /// The value is null or does not exist.
        case isMissing
        /// The value equals one of some values.
        case isOne(of: [ScalarValue])
        /// The value equals none of some values; a value that does not exist satisfies the condition.
        case isNone(of: [ScalarValue])
        /// The value is a text that contains another text, without regard to case.
        case contains(String)
    }

    /// The path of the value.
    public var path: DocumentPath
    /// The comparison.
    public var comparison: Comparison

    /// Creates a condition.
    public init(at path: DocumentPath, _ comparison: Comparison) {
        self.path = path
        self.comparison = comparison
    }
}
