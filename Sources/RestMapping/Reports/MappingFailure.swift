// SPDX-License-Identifier: Apache-2.0

/// The failure of a value to be mapped, thrown inside a run.
///
/// A value type throws it; the run records it as a ``MappingIssue`` and applies the policy. It carries
/// no path: the path is rebuilt from the node for the report, so that successful values cost nothing.
///
/// The failure is a single reference, because each call that may throw it has code to pass it on.
@frozen
public struct MappingFailure: Error, Sendable {
    /// The handling of the failure so far.
    enum Progress: UInt8, Sendable {
        /// Not yet recorded.
        case unrecorded
        /// Recorded; the object it happened in cannot be built.
        case objectFailed
        /// Recorded; the object is dropped.
        case objectDropped
        /// Recorded; the run ends.
        case ended
        /// Not a failure: the property keeps its value.
        case kept
    }

    @usableFromInline let storage: MappingFailureStorage

    /// The kind of problem.
    public var code: MappingIssue.Code { storage.code }
    /// A description of a valid value.
    public var expected: String { storage.expected }
    /// The index of the property; -1 if it is not known.
    var property: Int { storage.property }
    /// The index of the node on the tape; -1 for the object being mapped.
    var node: Int { storage.node }
    var progress: Progress { storage.progress }

    init(
        _ code: MappingIssue.Code, expected: String, property: Int = -1, node: Int = -1,
        progress: Progress = .unrecorded
    ) {
        storage = MappingFailureStorage(
            code: code, expected: expected, property: property, node: node, progress: progress)
    }

    func advanced(to progress: Progress) -> MappingFailure {
        MappingFailure(code, expected: expected, property: property, node: node, progress: progress)
    }

    /// The end of reading a property that keeps its value, as its validation or the observer says.
    static let kept = MappingFailure(.validationFailed, expected: "", progress: .kept)

    /// Returns the failure of an object whose required property has no value.
    public static func missing(property: Int) -> MappingFailure {
        MappingFailure(.missingValue, expected: "a value", property: property)
    }
}

/// The contents of a failure.
@usableFromInline
final class MappingFailureStorage: Sendable {
    let code: MappingIssue.Code
    let expected: String
    let property: Int
    let node: Int
    let progress: MappingFailure.Progress

    init(
        code: MappingIssue.Code, expected: String, property: Int, node: Int,
        progress: MappingFailure.Progress
    ) {
        self.code = code
        self.expected = expected
        self.property = property
        self.node = node
        self.progress = progress
    }
}
