// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The row of an object as a value: the columns of its table and the object's ID.
///
/// ``ManagedValues`` gives the columns the types of the class.
public struct ManagedRow: Sendable, Hashable {
    /// The entity of rows and their store, which many rows share.
    final class Source: Sendable {
        let layout: EntityLayout
        /// The layouts of the model, for the IDs of destinations.
        let layouts: [EntityLayout]
        let store: UUID

        init(_ layout: EntityLayout, in model: ManagedObjectModel, store: UUID) {
            (self.layout, layouts, self.store) = (layout, model.layouts, store)
        }

        private init(_ layout: EntityLayout, like other: Source) {
            (self.layout, layouts, store) = (layout, other.layouts, other.store)
        }

        /// Returns the source of rows of another entity of the same store.
        func replacing(_ layout: EntityLayout) -> Source { Source(layout, like: self) }
    }

    private let source: Source
    private let key: Int64
    /// The values of the columns of the table.
    let columns: RowValues
    /// The keys of the to-one relationships without a column, in the order of
    /// ``EntityLayout/inverseRelationships``.
    let inverseKeys: [StoredValue]

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - key: The key of the object.
    ///   - columns: The values of the columns of the entity's table.
    ///   - inverseKeys: The keys of the destinations of `inverseRelationships`, null for none.
    ///   - source: The entity of the object and the store.
    init(
        _ key: Int64, columns: RowValues, inverseKeys: [StoredValue] = [], of source: Source
    ) {
        self.source = source
        self.key = key
        self.columns = columns
        self.inverseKeys = inverseKeys
    }

    /// Creates the row of an object with its unsaved changes.
    init(_ object: ManagedObject) {
        let context = object.context
        self.init(
            object.objectID.key, columns: object.loadedRow,
            inverseKeys: object.layout.inverseRelationships.map { relationship in
                let destination = context.relationships.relatedObjects(of: object, relationship)
                    .first
                return destination.map { .integer($0.objectID.key) } ?? .null
            },
            of: Source(object.layout, in: context.model, store: context.database.identity))
    }

    /// The ID of the object.
    public var objectID: ManagedObjectID {
        ManagedObjectID(key: key, layout: source.layout, store: source.store)
    }

    /// Checks that the types of all attributes can represent their stored values.
    ///
    /// - Throws: ``PersistenceError`` with code `unreadableValue`.
    func checkValues() throws(PersistenceError) {
        if let error = layout.unreadableValue(in: columns, objectID) { throw error }
    }

    /// Returns the attribute at a property index.
    ///
    /// Values are created from rows that the types of the class can represent. A value that another type
    /// cannot represent reads as `nil`, as its default value, or as zero or an empty value. Reading a
    /// required attribute that was never set is a programming error and traps.
    public func value<Value: AttributeValue>(_ index: Int) -> Value {
        let column = layout.attributeColumn(index)
        if let value = Value(storedValue: columns[column]) { return value }
        let name = layout.columns[column].name
        if columns[column].isNull {
            fatalError(
                "\(objectID).\(name) has no value: a required attribute can be read once it is set")
        }
        guard let value = Value.substitute(layout.defaults[column]) else {
            let error = PersistenceError(
                unreadable: columns[column], name, objectID, as: Value.self)
            fatalError("\(error), and the attribute has no default value that can be read instead")
        }
        return value
    }

    /// Returns the ID of the destination of the to-one relationship at a property index.
    public func value(_ index: Int) -> ManagedObjectID? {
        guard case .relationship(let position) = layout.properties[index] else {
            preconditionFailure("property \(index) of \(layout.name) is not a relationship")
        }
        let relationship = layout.relationships[position]
        guard case .integer(let key) = key(of: relationship) else { return nil }
        return ManagedObjectID(
            key: key, layout: source.layouts[relationship.destination], store: source.store)
    }

    var layout: EntityLayout { source.layout }

    /// The names of private properties, including inherited ones.
    var hiddenNames: Set<String> {
        var names = layout.description.hiddenNames
        var superentity = layout.superentity
        while let index = superentity {
            names.formUnion(source.layouts[index].description.hiddenNames)
            superentity = source.layouts[index].superentity
        }
        return names
    }

    private func key(of relationship: RelationshipLayout) -> StoredValue {
        if case .column(let column) = relationship.storage { return columns[column] }
        let position = layout.inverseRelationships.firstIndex { $0.index == relationship.index }
        return position.map { inverseKeys[$0] } ?? .null
    }

    /// Returns a Boolean value that indicates whether two rows have the same object and values.
    public static func == (left: ManagedRow, right: ManagedRow) -> Bool {
        left.key == right.key && left.source.store == right.source.store
            && left.columns == right.columns && left.inverseKeys == right.inverseKeys
    }

    /// Hashes the ID and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(columns)
        hasher.combine(inverseKeys)
    }
}

extension EntityLayout {
    /// The to-one relationships whose foreign key is in the destination's table.
    var inverseRelationships: [RelationshipLayout] {
        relationships.filter { relationship in
            if relationship.isToMany { return false }
            if case .column = relationship.storage { return false }
            return true
        }
    }
}

extension ManagedObject {
    /// The columns of the object's table with unsaved changes, all of which observers have then read.
    fileprivate final var loadedRow: RowValues {
        if !isLoaded { load() }
        if context.isObserved {
            for column in values.indices { noteRead(of: Self.slot(ofColumn: column)) }
        }
        return values
    }
}
