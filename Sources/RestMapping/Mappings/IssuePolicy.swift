// SPDX-License-Identifier: Apache-2.0

/// What a mapping does with a value that does not fit.
///
/// Whatever the policy, the problem is an issue in the ``MappingReport``. The default keeps the
/// object and leaves the property as it was, as RestKit does, but an object that cannot be built at
/// all, because a required property is missing, is an error: nothing disappears silently.
@frozen
public struct IssuePolicy: Sendable, Hashable, BitwiseCopyable {
    /// What happens to a property whose value cannot be converted.
    @frozen
    public enum InvalidValue: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The property keeps its default or earlier value.
        case drop
        /// The object that holds the property cannot be built.
        case failObject
    }

    /// What happens to an element of a list of plain values that cannot be converted.
    @frozen
    public enum InvalidElement: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The whole list is an invalid value.
        case failValue
        /// The element is left out.
        case drop
    }

    /// What happens when an object cannot be built.
    @frozen
    public enum InvalidObject: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The run ends with a ``MappingError``.
        case fail
        /// The object is left out of its list, or its property keeps its earlier value.
        case drop
    }

    /// For a property whose value cannot be converted.
    public var invalidValue: InvalidValue
    /// For an element of a list of plain values.
    public var invalidElement: InvalidElement
    /// For an object that cannot be built.
    public var invalidObject: InvalidObject

    /// Makes a policy; each part has the default described with the type.
    @inlinable
    public init(
        invalidValue: InvalidValue = .drop, invalidElement: InvalidElement = .failValue,
        invalidObject: InvalidObject = .fail
    ) {
        self.invalidValue = invalidValue
        self.invalidElement = invalidElement
        self.invalidObject = invalidObject
    }

    /// Values are dropped, objects fail.
    @inlinable public static var standard: IssuePolicy { IssuePolicy() }
    /// Any problem ends the run.
    @inlinable public static var strict: IssuePolicy { IssuePolicy(invalidValue: .failObject) }
    /// Values, elements and objects are dropped; nothing ends the run.
    @inlinable public static var lenient: IssuePolicy {
        IssuePolicy(invalidElement: .drop, invalidObject: .drop)
    }
}
