// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A type whose properties a mapping can name.
///
/// Typed objects (``Mapped``) and managed entities both are; a mapping is declared against either
/// in the same words.
public protocol MappingSubject: NamedValues, SendableMetatype {
    /// The properties by index, with their names, key paths and relations.
    static var properties: PropertyTable { get }
}

/// A type that documents are mapped to, as the `@Mapped` macro writes it.
///
/// The conformance is what a person could write by hand: a table of the properties, and a draft
/// that assigns them by index. Nothing else is asked of the type: it may be a structure or a class,
/// have constants, and lack an empty initializer.
///
/// The draft of a structure or a final class is a ``MappingDraft`` and makes the rest follow. That
/// of a class others inherit from is an ``InheritableDraft``: the class makes it in methods that its
/// subclasses override, as they override `properties`.
public protocol Mapped: MappableValue, MappingSubject, RepresentationSource {
    /// The object under construction.
    associatedtype Draft: MappingDestination

    /// Starts with the defaults of the type.
    static func makeDraft() -> Draft

    /// Starts with this object; a class fills that very instance.
    func makeDraft() -> Draft

    /// Ends the construction.
    ///
    /// - Throws: ``MappingFailure`` when a required property got no value.
    static func finish(_ draft: consuming Draft) throws(MappingFailure) -> Self

    /// Maps every object of a list, or the one object that is there instead.
    ///
    /// The library calls it where only the type's table is known; the default is right for all.
    static func mapErased(_ source: MappingSource) throws(MappingFailure) -> [any Mapped]
}

extension Mapped {
    /// Writes the object as the mapping says that the plan has for it.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.object(self)
    }

    /// Maps one object; called for related objects and list elements.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Self {
        if source.isUnwalked { return try mapUnwalked(source) }
        guard source.node.kind == .object || source.isEntry else {
            throw source.mismatch("an object")
        }
        do throws(MappingFailure) {
            var draft = makeDraft()
            try source.walk(into: &draft)
            let object = try finish(consume draft)
            source.countObject()
            return object
        } catch {
            throw source.objectFailure(error)
        }
    }

    /// Fills an object that is already there; properties the document does not name stay.
    @inlinable
    static func map(from source: MappingSource, editing subject: Self) throws(MappingFailure)
        -> Self
    {
        guard source.node.kind == .object else { throw source.mismatch("an object") }
        do throws(MappingFailure) {
            var draft = subject.makeDraft()
            try source.walk(filling: &draft)
            let object = try finish(consume draft)
            source.countObject()
            return object
        } catch {
            throw source.objectFailure(error)
        }
    }

    /// Collects what an object that is already there becomes, to be written when the whole run has
    /// succeeded.
    static func prepare(
        from source: MappingSource, editing subject: Self
    ) throws(MappingFailure) {
        do throws(MappingFailure) {
            var draft = subject.makeDraft()
            try source.walk(filling: &draft)
            source.countObject()
            let finished = draft
            source.context.writeLater { () throws(MappingFailure) in _ = try finish(finished) }
        } catch {
            throw source.objectFailure(error)
        }
    }

    /// Maps every object of a list, or the one object that is there instead.
    @inlinable
    public static func mapAll(_ source: MappingSource) throws(MappingFailure) -> [Self] {
        switch source.node.kind {
        case .array: return try [Self].map(from: source)
        case .null: return []
        default:
            if source.isForcedCollection { return try [Self].map(from: source) }
            do throws(MappingFailure) {
                return [try map(from: source)]
            } catch {
                try source.leaveOut(error, isObject: true)
                return []
            }
        }
    }

    /// Maps every object of a list, or the one object that is there instead.
    @inlinable
    public static func mapErased(_ source: MappingSource) throws(MappingFailure) -> [any Mapped] {
        try mapAll(source)
    }

    /// Related objects of this type, one each.
    @inlinable
    public static var relation: Relation? {
        Relation(isToMany: false) { properties }
    }

    /// A copy with changes, for values whose properties are variables.
    @inlinable
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Mapped where Self: AnyObject {
    /// Instances are not copied.
    @available(*, unavailable, message: "an instance is no copy; change it, or map a structure")
    public func with(_ change: (inout Self) -> Void) -> Self { self }
}
