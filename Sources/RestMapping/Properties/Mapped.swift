// SPDX-License-Identifier: Apache-2.0

/// A type whose properties a mapping can refer to.
///
/// Typed objects (``Mapped``) and managed entities conform, so that mappings of both are declared
/// in the same way.
public protocol MappingSubject: NamedValues, SendableMetatype {
    /// The properties by index, with their names, key paths and relations.
    static var properties: PropertyTable { get }
}

/// A type that documents are mapped to, as the `@Mapped` macro declares it.
///
/// The conformance can also be written by hand: it is a table of the properties and a draft that
/// assigns them by index. The type may be a structure or a class, have constants, and lack an empty
/// initializer.
///
/// The draft of a structure or a final class is a ``MappingDraft``, which provides the other
/// requirements. The draft of a class with subclasses is an ``InheritableDraft``: the class creates
/// it in methods that subclasses override, as they override `properties`.
public protocol Mapped: MappableValue, MappingSubject, RequestSubject {
    /// The type of the object under construction.
    associatedtype Draft: MappingDestination

    /// Returns a draft with the defaults of the type.
    static func makeDraft() -> Draft

    /// Returns a draft that updates this object; that of a class updates this instance.
    func makeDraft() -> Draft

    /// Finishes the construction.
    ///
    /// - Throws: ``MappingFailure`` when a required property has no value.
    static func finish(_ draft: consuming Draft) throws(MappingFailure) -> Self
}

extension Mapped {
    /// Returns a Boolean value that indicates whether the table is that of the object's type, or of
    /// a type that it inherits from.
    public func isSubject(of table: PropertyTable) -> Bool {
        func isInstance<Subject: Mapped>(of type: Subject.Type) -> Bool { self is Subject }
        return table.subject.map { isInstance(of: $0) } ?? false
    }

    /// Writes the object by the mapping that the plan has for it.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.mappedObject(self)
    }

    /// The relation to a single object of this type.
    public static var relation: Relation? {
        Relation(isToMany: false) { properties }
    }

    /// Returns a copy with changes, for values whose properties are variables.
    @inlinable
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Mapped where Self: AnyObject {
    /// Instances are not copied.
    @available(
        *, unavailable, message: "a class instance cannot be copied; change it, or map a structure"
    )
    public func with(_ change: (inout Self) -> Void) -> Self { self }
}

extension RequestWriter {
    /// Writes an object by code that is compiled once for all types, because it is not public.
    fileprivate mutating func mappedObject<Subject: Mapped>(
        _ subject: Subject
    ) throws(MappingFailure) {
        try object(subject)
    }
}
