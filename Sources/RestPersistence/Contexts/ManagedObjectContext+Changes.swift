// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// The objects that have been inserted since the last save.
    ///
    /// - Complexity: O(*n*) in the number of unsaved changes, as for the other sets of objects.
    public var insertedObjects: Set<ManagedObject> { objects(in: .inserted) }

    /// The objects whose attributes or to-one relationships have been changed since the last save.
    public var updatedObjects: Set<ManagedObject> { objects(in: .updated) }

    /// The objects that have been deleted since the last save and are not deleted from the store.
    public var deletedObjects: Set<ManagedObject> { objects(in: .deleted) }

    private func objects(in state: RowState) -> Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        for table in model.tables {
            var keys: Set<Int64> = []
            for changes in layered.layers.own.map({ $0.tables[table.index] }) {
                for key in changes.keys where layered.layers.ownState(of: key, table.index) == state
                {
                    keys.insert(key)
                }
            }
            do throws(PersistenceError) {
                objects.formUnion(try self.objects(keys, table, areDeleted: state == .deleted))
            } catch {
                errors.note(error)
            }
        }
        return objects
    }

    /// Returns the objects of rows, which are read for those that have none.
    func objects(
        _ keys: Set<Int64>, _ table: TableLayout, areDeleted: Bool
    ) throws(PersistenceError) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var missing: [Int64] = []
        for key in keys {
            if let object = identityMap[key] { objects.append(object) } else { missing.append(key) }
        }
        if missing.isEmpty { return objects }
        let layout = model.layouts[table.entities[0]]
        guard areDeleted else { return try objects + loadObjects(missing, layout).values }
        for (key, stored) in try layered.storedRows(missing, table) {
            var row = stored
            layered.layers.overlay(key, table.index, on: &row)
            let object = try object(key, layout, row: RowValues(row))
            object.markDeleted()
            objects.append(object)
        }
        return objects
    }
}

extension ManagedObject {
    /// The unsaved values of attributes and to-one relationships, by name.
    ///
    /// The value of a relationship is the key of its destination. All values of a new object are
    /// unsaved.
    public final var changedValues: [String: StoredValue] {
        let (key, table) = (objectID.key, layout.table)
        var changed: [String: StoredValue] = [:]
        for (name, column) in valueColumns {
            for changes in context.layered.layers.own {
                guard let value = changes.tables[table.index].changedValue(key, column) else {
                    continue
                }
                changed[name] = value
                break
            }
        }
        return changed
    }

    /// The values of attributes and to-one relationships, by name, without unsaved changes of this
    /// context; empty for a new object.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    public final func committedValues() throws(PersistenceError) -> [String: StoredValue] {
        let (key, table) = (objectID.key, layout.table)
        if context.layered.layers.ownState(of: key, table.index) == .inserted { return [:] }
        guard var row = try context.layered.storedRows([key], table)[key] else {
            // A row that another context of the chain has inserted.
            var row = Array(repeating: StoredValue.null, count: table.width)
            context.layered.layers.overlayParents(key, table.index, on: &row)
            return named(row)
        }
        context.layered.layers.overlayParents(key, table.index, on: &row)
        return named(row)
    }

    private final func named(_ row: [StoredValue]) -> [String: StoredValue] {
        var values: [String: StoredValue] = [:]
        for (name, column) in valueColumns { values[name] = row[column] }
        return values
    }

    /// The columns of attributes and to-one relationships, by name.
    private final var valueColumns: [(name: String, column: Int)] {
        layout.properties.compactMap { property in
            switch property {
            case .attribute(let column): (layout.columns[column].name, column)
            case .relationship(let index):
                if case .column(let column) = layout.relationships[index].storage {
                    (layout.relationships[index].name, column)
                } else {
                    nil
                }
            }
        }
    }
}
