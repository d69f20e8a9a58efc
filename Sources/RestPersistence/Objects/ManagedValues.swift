// SPDX-License-Identifier: Apache-2.0

/// The values of a managed object, which can leave its context.
///
/// `@Entity` adds a conforming structure `Values` to a class. It has the attributes of the object and
/// the IDs of its to-one relationships under the names of the properties. To-many relationships are
/// not part of it. Each value is decoded when it is read; that the types of the properties can represent
/// the stored values is checked before.
///
/// ```swift
/// let values = try Airport.Values(airport)
/// Task.detached { print(values.name, values.city?.key ?? 0) }
/// ```
///
/// `JSONEncoder` and other encoders encode the structure, see ``encode(to:)``.
///
/// Two structures are equal if they have the same object and all values are equal in the sense of
/// SQLite, so that texts are compared by their bytes. The values of a sub-entity contain those of its
/// super-entity.
@dynamicMemberLookup
public protocol ManagedValues: Sendable, Hashable, Identifiable, Encodable {
    /// The class of the object.
    associatedtype Object: ManagedEntity
    /// The properties whose kind depends on their type.
    associatedtype Fields: ManagedFields = NoManagedFields

    /// The row of the object.
    var managedRow: ManagedRow { get }
    /// Creates values from a row of the object's entity.
    init(managedRow: ManagedRow)
}

extension ManagedValues {
    /// Creates the values of an object, with its unsaved changes.
    ///
    /// - Throws: ``PersistenceError`` with code `unreadableValue`, which names the object and the
    ///   attribute, if the type of an attribute cannot represent its stored value; an error of the
    ///   database if a value cannot be read.
    public init(_ object: Object) throws(PersistenceError) {
        let row = ManagedRow(object)
        try object.context.errors.throwFailure()
        try row.checkValues()
        self.init(managedRow: row)
    }

    /// The ID of the object.
    public var objectID: ManagedObjectID { managedRow.objectID }

    /// The ID of the object, unless the entity has a property of this name.
    public var id: ManagedObjectID { objectID }

    /// The attribute with a name.
    public subscript<Value: AttributeValue>(
        dynamicMember path: KeyPath<Fields, ManagedField<Value>>
    ) -> Value {
        managedRow.value(Fields()[keyPath: path].index)
    }

    /// The ID of the destination of the to-one relationship with a name.
    public subscript<Destination: ManagedEntity>(
        dynamicMember path: KeyPath<Fields, ManagedField<Destination?>>
    ) -> ManagedObjectID? {
        managedRow.value(Fields()[keyPath: path].index)
    }
}

/// The properties of an entity whose declarations do not tell attributes from relationships.
///
/// `@Entity` adds a conforming structure to ``ManagedValues``, whose dynamic members read them.
public protocol ManagedFields {
    /// Creates the properties.
    init()
}

/// The fields of values whose properties are all known to be attributes or relationships.
public struct NoManagedFields: ManagedFields {
    /// Creates an empty list of properties.
    public init() {}
}

/// A property in ``ManagedFields`` with the type that the class declares.
public struct ManagedField<Value> {
    let index: Int

    /// Creates a field.
    ///
    /// - Parameter index: The index of the property, inherited ones first.
    public init(_ index: Int) { self.index = index }
}
