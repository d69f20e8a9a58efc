// SPDX-License-Identifier: Apache-2.0

/// The failure of a value to be mapped, thrown inside a run.
///
/// A value type throws it; the run records it as a ``MappingIssue`` and applies the policy. It carries
/// no path: the path is rebuilt from the node for the report, so that successful values cost nothing.
@frozen
public struct MappingFailure: Error, Sendable {
    /// The handling of the failure so far.
    @usableFromInline
    @frozen
    enum Progress: UInt8, Sendable {
        /// Not yet recorded.
        case unrecorded
        /// Recorded; the object it happened in cannot be built.
        case objectFailed
        /// Recorded; the object is dropped.
        case objectDropped
        /// Recorded; the run ends.
        case ended
    }

    /// The kind of problem.
    public let code: MappingIssue.Code
    /// A description of a valid value.
    public let expected: String
    /// The index of the property; -1 if it is not known.
    @usableFromInline let property: Int
    /// The index of the node on the tape; -1 for the object being mapped.
    @usableFromInline let node: Int
    @usableFromInline let progress: Progress

    @usableFromInline
    init(
        _ code: MappingIssue.Code, expected: String, property: Int = -1, node: Int = -1,
        progress: Progress = .unrecorded
    ) {
        self.code = code
        self.expected = expected
        self.property = property
        self.node = node
        self.progress = progress
    }

    func advanced(to progress: Progress) -> MappingFailure {
        MappingFailure(code, expected: expected, property: property, node: node, progress: progress)
    }

    /// Returns the failure of an object whose required property has no value.
    public static func missing(property: Int) -> MappingFailure {
        MappingFailure(.missingValue, expected: "a value", property: property)
    }
}
