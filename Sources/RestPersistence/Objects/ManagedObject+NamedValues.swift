// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RestMapping

extension ManagedObject: NamedValues {
    /// Returns the value of an attribute or a relationship; `nil` if it has none.
    ///
    /// For an entity without a class, an attribute has the Swift type of its column, and a to-many
    /// relationship is an array.
    ///
    /// - Throws: `MappingError` with code `unknownProperty` if there is no such property, `invalidObject` if
    ///   the type of the attribute cannot represent the stored value, or if the row was deleted before it
    ///   was read.
    public final func value(named name: String) throws(MappingError) -> Any? {
        if let property = layout.propertyIndices[name] { noteWriting(of: property) }
        if !isLoaded { load() }
        if hasSubstitutes {
            throw .unreadable(
                name, of: layout.name,
                details: ["\(objectID) was deleted before it was read, or cannot be read"])
        }
        if case .attribute(let column) = layout.propertyIndices[name] {
            if let error = layout.unreadableValue(column, in: values, objectID) {
                throw .unreadable(name, of: layout.name, details: error.details)
            }
        }
        if let object = self as? any MappingSubject { return try object.typedValue(named: name) }
        switch layout.propertyIndices[name] {
        case .attribute(let column):
            return layout.columns[column].type.kind.value(of: values[column])
        case .relationship(let index):
            let objects = (try? related(name)) ?? []
            return layout.relationships[index].isToMany ? objects : objects.first
        case nil:
            throw .unknownProperty(
                name, of: layout.name, among: layout.propertyIndices.keys.sorted())
        }
    }
}

extension AttributeType.Kind {
    /// Returns a stored value as the Swift type of the column; `nil` for null.
    func value(of stored: StoredValue) -> Any? {
        guard let type = storage.valueType else { return JSONColumn.root(of: stored) }
        return type.init(storedValue: stored)
    }
}

extension ManagedObject {
    /// Returns the stored value of a column, or the ``/RestRows/MemberSet`` of a to-many relationship.
    package func storedValue(named name: String) throws(PersistenceError) -> StoredValue {
        switch layout.propertyIndices[name] {
        case .attribute(let column):
            if !isLoaded { load() }
            return values[column]
        case .relationship(let index):
            let keys = try related(name).map(\.objectID.key)
            if layout.relationships[index].isToMany { return MemberSet(keys).stored }
            return keys.first.map { .integer($0) } ?? .null
        case nil: throw PersistenceError(.unknownProperty, entity: layout.name, property: name)
        }
    }

    /// Sets a column or the members of a relationship to a stored value, as an edit of a program.
    ///
    /// - Parameters:
    ///   - value: The value of the column, or a ``/RestRows/MemberSet``, whose objects must exist.
    ///   - name: The name of the property.
    /// - Throws: ``PersistenceError`` with code `unknownProperty`, or `objectNotFound` for a member.
    package final func setStored(
        _ value: StoredValue, named name: String
    ) throws(PersistenceError) {
        switch layout.propertyIndices[name] {
        case .attribute(let column): setStored(value, at: column)
        case .relationship(let index):
            let relationship = layout.relationships[index]
            var keys: Set<Int64> = []
            if case .integer(let key) = value { keys = [key] }
            if let members = MemberSet(value) { keys = members.keys }
            let destination = context.model.layouts[relationship.destination]
            let objects = try keys.sorted().map { key throws(PersistenceError) in
                try context.object(
                    with: ManagedObjectID(key: key, layout: destination, store: objectID.store))
            }
            try setRelated(name, objects)
        case nil: throw PersistenceError(.unknownProperty, entity: layout.name, property: name)
        }
    }
}
