// SPDX-License-Identifier: Apache-2.0

/// Why a value could not be mapped, as thrown inside a run.
///
/// A value type throws it; the walk turns it into a ``MappingIssue`` and applies the policy. It
/// carries no path: the path is rebuilt from the node when somebody asks, so that the way down costs
/// nothing.
@frozen
public struct MappingFailure: Error, Sendable {
    /// How far the failure has been dealt with.
    @usableFromInline
    @frozen
    enum Progress: UInt8, Sendable {
        /// Nobody has recorded it yet.
        case fresh
        /// Recorded; the object it happened in cannot be built.
        case objectFailed
        /// Recorded; the object is left out.
        case objectDropped
        /// Recorded; the run ends.
        case ended
    }

    /// What is wrong.
    public let code: MappingIssue.Code
    /// What the value should have been.
    public let expected: String
    /// The property it was for, when known.
    @usableFromInline let property: Int
    /// Index of the node on the tape; -1 for the object being mapped.
    @usableFromInline let node: Int
    @usableFromInline let progress: Progress

    @usableFromInline
    init(
        _ code: MappingIssue.Code, expected: String, property: Int = -1, node: Int = -1,
        progress: Progress = .fresh
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

    /// A required property got no value.
    public static func missing(property: Int) -> MappingFailure {
        MappingFailure(.missingValue, expected: "a value", property: property)
    }
}
