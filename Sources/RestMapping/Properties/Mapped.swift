// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A type whose properties a mapping can name.
///
/// Typed objects (``Mapped``) and managed entities both are; a mapping is declared against either
/// in the same words.
public protocol MappingSubject: SendableMetatype {
    /// The properties by index, with their names, key paths and relations.
    static var properties: PropertyTable { get }
}

/// A type that documents are mapped to, as the `@Mapped` macro writes it.
///
/// The conformance is what a person could write by hand: a table of the properties, and a ``Draft``
/// that assigns them by index. Nothing else is asked of the type: it may be a structure or a class,
/// have constants, and lack an empty initializer.
public protocol Mapped: MappableValue, MappingSubject {
    /// The object under construction.
    associatedtype Draft: MappingDraft where Draft.Subject == Self

    /// Maps every object of a list, or the one object that is there instead.
    ///
    /// The library calls it where only the type's table is known; the default is right for all.
    static func mapAll(_ source: MappingSource) throws(MappingFailure) -> [Self]
}

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

/// A typed object under construction.
public protocol MappingDraft: MappingDestination {
    /// The type being built.
    associatedtype Subject

    /// Starts with the defaults of the type.
    init()

    /// Starts with an object that is already there; a class fills that very instance.
    init(editing subject: Subject)

    /// Ends the construction.
    ///
    /// - Throws: ``MappingFailure`` when a required property got no value.
    consuming func finish() throws(MappingFailure) -> Subject
}

extension Mapped {
    /// Maps one object; called for related objects and list elements.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Self {
        guard source.node.kind == .object else { throw source.mismatch("an object") }
        do throws(MappingFailure) {
            var draft = Draft()
            try source.walk(into: &draft)
            let object = try (consume draft).finish()
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
            var draft = Draft(editing: subject)
            try source.walk(into: &draft)
            let object = try (consume draft).finish()
            source.countObject()
            return object
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
            do throws(MappingFailure) {
                return [try map(from: source)]
            } catch {
                try source.leaveOut(error, isObject: true)
                return []
            }
        }
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
