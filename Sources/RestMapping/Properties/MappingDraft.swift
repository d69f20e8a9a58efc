// SPDX-License-Identifier: Apache-2.0

/// A structure or an instance of a final class under construction.
public protocol MappingDraft: MappingDestination {
    /// The type of the object.
    associatedtype DraftSubject

    /// Creates a draft with the defaults of the type.
    init()

    /// Creates a draft that updates an existing object; that of a class updates the instance
    /// itself.
    init(editing subject: DraftSubject)

    /// Finishes the construction.
    ///
    /// - Throws: ``MappingFailure`` when a required property has no value.
    consuming func finish() throws(MappingFailure) -> DraftSubject
}

/// An instance of a class with subclasses under construction.
///
/// Drafts inherit as their subjects do: the draft of a subclass collects the values of its own
/// properties and leaves those of the superclass to the draft it inherits from.
public protocol InheritableDraft: AnyObject, MappingDestination {
    /// The root class of the mapped classes.
    associatedtype DraftSubject: AnyObject

    /// Finishes the construction; the draft of a subclass creates an instance of the subclass.
    ///
    /// - Throws: ``MappingFailure`` when a required property has no value.
    func finish() throws(MappingFailure) -> DraftSubject
}

// MARK: - What follows from a draft

extension Mapped where Draft: MappingDraft, Draft.DraftSubject == Self {
    /// Returns a draft with the defaults of the type.
    @inlinable @inline(__always)
    public static func makeDraft() -> Draft { Draft() }

    /// Returns a draft that updates this object.
    @inlinable @inline(__always)
    public func makeDraft() -> Draft { Draft(editing: self) }

    /// Finishes the construction.
    @inlinable @inline(__always)
    public static func finish(_ draft: consuming Draft) throws(MappingFailure) -> Self {
        try draft.finish()
    }
}

extension InheritableDraft {
    /// Finishes the construction of an instance of a class, on behalf of the class's own ``Mapped``
    /// requirement.
    ///
    /// - Throws: ``MappingFailure`` when a required property has no value, or when the class is not
    ///   mapped itself but inherits from one that is, so that no draft creates its instances.
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
