// SPDX-License-Identifier: Apache-2.0

/// The row of an object as a value: the columns of its table and the object's ID.
///
/// ``ManagedValues`` gives the columns the types of the class.
public struct ManagedRow: Sendable, Hashable {
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The values of the columns of the table.
    let columns: [StoredValue]
    /// The keys of the to-one relationships without a column, in the order of
    /// ``EntityLayout/inverseRelationships``.
    let inverseKeys: [StoredValue]
    /// The layouts of the model, for the IDs of destinations.
    let layouts: [EntityLayout]

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - objectID: The ID of the object, with the layout of its entity.
    ///   - columns: The values of the columns of the entity's table.
    ///   - inverseKeys: The keys of the destinations of `inverseRelationships`, null for none.
    ///   - model: The model of the store.
    init(
        _ objectID: ManagedObjectID, columns: [StoredValue], inverseKeys: [StoredValue] = [],
        in model: ManagedObjectModel
    ) {
        self.objectID = objectID
        self.columns = columns
        self.inverseKeys = inverseKeys
        layouts = model.layouts
    }

    /// Creates the row of an object with its unsaved changes.
    init(_ object: ManagedObject) {
        self.init(
            object.objectID, columns: object.loadedRow,
            inverseKeys: object.layout.inverseRelationships.map { relationship in
                let destination = object.context.relatedObjects(of: object, relationship).first
                return destination.map { .integer($0.objectID.key) } ?? .null
            },
            in: object.context.model)
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
        guard case .attribute(let column) = layout.properties[index] else {
            preconditionFailure("property \(index) of \(layout.name) is not an attribute")
        }
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
            key: key, layout: layouts[relationship.destination], store: objectID.store)
    }

    private var layout: EntityLayout { objectID.layout }

    private func key(of relationship: RelationshipLayout) -> StoredValue {
        if case .column(let column) = relationship.storage { return columns[column] }
        let position = layout.inverseRelationships.firstIndex { $0.index == relationship.index }
        return position.map { inverseKeys[$0] } ?? .null
    }

    /// Returns a Boolean value that indicates whether two rows have the same object and values.
    public static func == (left: ManagedRow, right: ManagedRow) -> Bool {
        left.objectID == right.objectID && left.columns == right.columns
            && left.inverseKeys == right.inverseKeys
    }

    /// Hashes the ID and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(objectID)
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
    fileprivate final var loadedRow: [StoredValue] {
        if !isLoaded { load() }
        if context.isObserved {
            for column in values.indices { noteRead(of: Self.slot(ofColumn: column)) }
        }
        return values
    }
}
