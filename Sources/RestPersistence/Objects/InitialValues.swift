// SPDX-License-Identifier: Apache-2.0

/// The values of an object that is about to be inserted.
///
/// `insert(into:…)`, which `@Entity` adds to a class, sets them and then inserts the object, so that
/// its row is recorded once and not after each attribute. A relationship that is given no destination
/// is not touched, as that of a new object has none.
public struct InitialValues<Object: ManagedEntity> {
    private let context: ManagedObjectContext
    private let layout: EntityLayout
    private var row: [StoredValue]
    /// The columns whose values are not the default values.
    private var changed = ColumnMask()
    private var relationships: [(Object) -> Void] = []

    /// Creates the default values of a class.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity` if the model has no such entity.
    public init(
        _ type: Object.Type, in context: ManagedObjectContext
    ) throws(PersistenceError) {
        self.context = context
        layout = try context.model.layout(of: type)
        row = layout.defaults
    }

    /// Sets the attribute at a property index.
    @inlinable
    public mutating func set<Value: AttributeValue>(_ index: Int, _ value: Value) {
        setStored(index, value.storedValue)
    }

    /// Sets the destination of the to-one relationship at a property index.
    public mutating func set<Destination: ManagedEntity>(
        _ index: Int, _ destination: Destination?
    ) {
        guard let destination else { return }
        relationships.append { $0.setManagedValue(index, destination as Destination?) }
    }

    /// Sets the destinations of the to-many relationship at a property index.
    public mutating func set<Destination: ManagedEntity>(
        _ index: Int, _ destinations: Set<Destination>
    ) {
        if destinations.isEmpty { return }
        relationships.append { $0.setManagedValue(index, destinations) }
    }

    /// Sets the destinations of the ordered to-many relationship at a property index.
    public mutating func set<Destination: ManagedEntity>(
        _ index: Int, _ destinations: [Destination]
    ) {
        if destinations.isEmpty { return }
        relationships.append { $0.setManagedValue(index, destinations) }
    }

    /// Inserts the object.
    ///
    /// - Throws: ``PersistenceError`` if no key can be reserved.
    public func insert() throws(PersistenceError) -> Object {
        let inserted = try context.insert(row, changed: changed, layout)
        guard let object = inserted as? Object else {
            throw PersistenceError(.unknownEntity, entity: layout.name)
        }
        for set in relationships { set(object) }
        return object
    }

    @usableFromInline
    mutating func setStored(_ index: Int, _ value: StoredValue) {
        let column = layout.attributeColumn(index)
        guard row[column] != value else { return }
        if layout.columns[column].type.isUnstorable(value) {
            context.layered.layers.hasUnstorableValues = true
        }
        row[column] = value
        changed.insert(column)
    }
}

@available(*, unavailable, message: "the values belong to the region of their context")
extension InitialValues: Sendable {}
