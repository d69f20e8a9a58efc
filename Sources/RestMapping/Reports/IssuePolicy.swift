// SPDX-License-Identifier: Apache-2.0

/// The policy of a mapping for values that do not fit.
///
/// Whatever the policy, the problem is an issue in the ``MappingReport``. By default the object is
/// kept and its property unchanged, as in RestKit, but an object that cannot be built because a
/// required property is missing is an error, so that nothing disappears silently.
@frozen
public struct IssuePolicy: Sendable, Hashable, BitwiseCopyable {
    /// The policy for a property whose value cannot be converted.
    @frozen
    public enum InvalidValue: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The property keeps its default or previous value.
        case drop
        /// The object that holds the property cannot be built.
        case failObject
    }

    /// The policy for an element of a list of plain values that cannot be converted.
    @frozen
    public enum InvalidElement: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The whole list is an invalid value.
        case failValue
        /// The element is left out.
        case drop
    }

    /// The policy for an object that cannot be built.
    @frozen
    public enum InvalidObject: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// The run ends with a ``MappingError``.
        case fail
        /// The object is left out of its list, or its property keeps its previous value.
        case drop
    }

    /// The policy for a property whose value cannot be converted.
    public var invalidValue: InvalidValue
    /// The policy for an element of a list of plain values.
    public var invalidElement: InvalidElement
    /// The policy for an object that cannot be built.
    public var invalidObject: InvalidObject

    /// Creates a policy; the default of each part is described with the type.
    @inlinable
    public init(
        invalidValue: InvalidValue = .drop, invalidElement: InvalidElement = .failValue,
        invalidObject: InvalidObject = .fail
    ) {
        self.invalidValue = invalidValue
        self.invalidElement = invalidElement
        self.invalidObject = invalidObject
    }

    /// The default policy: drops values, and fails for objects.
    @inlinable public static var standard: IssuePolicy { IssuePolicy() }
    /// The policy under which any problem ends the run.
    @inlinable public static var strict: IssuePolicy { IssuePolicy(invalidValue: .failObject) }
    /// The policy that drops values, elements and objects, so that nothing ends the run.
    @inlinable public static var lenient: IssuePolicy {
        IssuePolicy(invalidElement: .drop, invalidObject: .drop)
    }
}
