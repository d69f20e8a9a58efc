// SPDX-License-Identifier: Apache-2.0

// Unsaved changes of a context that concern the members of a list.

extension ManagedObjectContext {
    /// Calls a closure when unsaved values may have changed, until it returns `false`.
    package func onUnsavedChange(_ handler: @escaping () -> Bool) {
        layered.layers.changeHandlers.append(handler)
    }

    /// Returns a Boolean value that indicates whether unsaved changes since a version may concern the members
    /// of a list of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - version: The version of the unsaved changes, which becomes the present one.
    /// - Returns: `false` for changes of rows of other tables, unless there are new objects of the class,
    ///   which can belong to the list because of related ones.
    package func hasUnsavedMembers<Object: ManagedEntity>(
        of type: Object.Type, since version: inout Int
    ) -> Bool {
        defer { version = layered.changesVersion }
        guard let table = try? model.layout(of: type).table.index,
            let changed = layered.changedKeys(of: table, since: version)
        else { return true }
        return !changed.isEmpty || !insertedIDs(of: table).isEmpty
    }

    /// Returns the objects that no unsaved change deletes.
    package func withoutDeleted<Object: ManagedObject>(_ objects: [Object]) -> [Object] {
        let hasDeletions = ([layered.layers.top] + layered.layers.lower).contains {
            $0.tables.contains(where: \.hasRemovals)
        }
        if !hasDeletions { return objects }
        return objects.filter {
            !layered.layers.isDeleted($0.objectID.key, $0.objectID.layout.table.index)
        }
    }

    /// Returns the unsaved new objects of a class that one of some fetch requests finds, in the order of their
    /// insertion.
    ///
    /// - Throws: ``PersistenceError`` of a request that does not match the model, or of the database.
    package func insertedObjects<Object: ManagedEntity>(
        of type: Object.Type, matching requests: [FetchRequest]
    ) throws(PersistenceError) -> [Object] {
        if requests.isEmpty { return [] }
        let layout = try model.layout(of: type)
        let inserted = insertedIDs(of: layout.table.index).filter {
            layout.includes($0.layout.index)
        }
        if inserted.isEmpty { return [] }
        var found: Set<Int64> = []
        for request in requests
        where try model.layout(named: request.entityName).table === layout.table {
            var request = request
            request.predicate = request.predicate && .ids(inserted)
            request.orderings = []
            request.limit = nil
            request.offset = 0
            found.formUnion(try fetchIDs(request).map(\.key))
        }
        return try objects(type, with: inserted.filter { found.contains($0.key) })
    }

    /// Returns the IDs of the unsaved new objects of a table, by key.
    private func insertedIDs(of table: Int) -> [ManagedObjectID] {
        var entities: [Int64: Int] = [:]
        for changes in layered.layers.own.map({ $0.tables[table] }) {
            for slot in 0..<changes.count where changes.states[slot] == .inserted {
                let key = changes.keys[slot]
                if layered.layers.ownState(of: key, table) == .inserted {
                    entities[key] = changes.entities[slot]
                }
            }
        }
        return entities.sorted { $0.key < $1.key }.map { key, entity in
            ManagedObjectID(key: key, layout: model.layouts[entity], store: database.identity)
        }
    }
}
