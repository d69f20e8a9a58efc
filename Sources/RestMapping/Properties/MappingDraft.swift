// SPDX-License-Identifier: Apache-2.0

/// Who receives the values of one object's properties while a plan walks its representation.
public protocol MappingDestination {
    /// Takes a value for a property.
    ///
    /// - Parameters:
    ///   - property: Index in the subject's ``PropertyTable``.
    ///   - source: The value; valid only during the call.
    /// - Throws: ``MappingFailure`` when the value does not fit; the walk records it and applies
    ///   the mapping's policy.
    mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure)
}

/// An object of a structure or a final class under construction.
public protocol MappingDraft: MappingDestination {
    /// The type being built.
    associatedtype DraftSubject

    /// Starts with the defaults of the type.
    init()

    /// Starts with an object that is already there; a class fills that very instance.
    init(editing subject: DraftSubject)

    /// Ends the construction.
    ///
    /// - Throws: ``MappingFailure`` when a required property got no value.
    consuming func finish() throws(MappingFailure) -> DraftSubject
}

/// An object of a class that others inherit from, under construction.
///
/// Drafts inherit as their subjects do: the draft of a subclass collects the values of its own
/// properties and leaves those before them to the draft it inherits from.
public protocol InheritableDraft: AnyObject, MappingDestination {
    /// The class at the root of the mapped classes.
    associatedtype DraftSubject: AnyObject

    /// Ends the construction; a subclass's draft makes an instance of the subclass.
    ///
    /// - Throws: ``MappingFailure`` when a required property got no value.
    func finish() throws(MappingFailure) -> DraftSubject
}

// MARK: - What follows from a draft

extension Mapped where Draft: MappingDraft, Draft.DraftSubject == Self {
    /// Starts with the defaults of the type.
    @inlinable @inline(__always)
    public static func makeDraft() -> Draft { Draft() }

    /// Starts with this object.
    @inlinable @inline(__always)
    public func makeDraft() -> Draft { Draft(editing: self) }

    /// Ends the construction.
    @inlinable @inline(__always)
    public static func finish(_ draft: consuming Draft) throws(MappingFailure) -> Self {
        try draft.finish()
    }
}

extension InheritableDraft {
    /// Ends the construction for a class of the line; what its method of ``Mapped`` calls.
    ///
    /// - Throws: ``MappingFailure`` when a required property got no value, or when the class is not
    ///   mapped itself but only inherits from one that is: nobody knows how to make an instance.
    @inlinable
    public func finish<Instance: AnyObject>(
        as type: Instance.Type
    ) throws(MappingFailure) -> Instance {
        guard let instance = try finish() as? Instance else { throw Self.unmapped(type) }
        return instance
    }

    @usableFromInline
    static func unmapped(_ type: AnyClass) -> MappingFailure {
        MappingFailure(.typeMismatch, expected: "\(type) to be mapped itself")
    }
}
