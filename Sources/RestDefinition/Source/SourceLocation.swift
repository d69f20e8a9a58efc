// SPDX-License-Identifier: Apache-2.0

/// A position in the text of a file.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The line and the column, such as `12:5`.
    public var description: String { "\(line):\(column)" }

    /// Returns a Boolean value that indicates whether a position is before another one.
    public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
