// SPDX-License-Identifier: Apache-2.0

/// The deletion of rows of a context by the delete rules of their relationships.
struct RowDeleter {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Deletes rows and their objects, and applies the delete rules level by level, because chains of
    /// rows can be long.
    ///
    /// The number of queries depends on the number of levels and entities, not on that of rows.
    ///
    /// - Parameters:
    ///   - rows: The keys of the rows with their entities, not with a super-entity.
    ///   - cascades: A closure that indicates whether the rule ``DeleteRule/cascade`` deletes a
    ///     destination.
    func delete(
        _ rows: [(key: Int64, layout: EntityLayout)],
        cascadingTo cascades: (_ key: Int64, _ layout: EntityLayout) -> Bool = { _, _ in true }
    ) {
        var level = rows
        while !level.isEmpty {
            var keys: [Int: [Int64]] = [:]
            let gone = rowsDeletedElsewhere(among: level)
            for (key, layout) in level {
                let table = layout.table.index
                let isDeleted = context.layers.isDeleted(key, table)
                if isDeleted || gone.contains(key) {
                    // Its unsaved changes are void, here and in the parents.
                    let isUpdatedBelow = context.layers.lower.contains {
                        $0.tables[table].state(of: key) == .updated
                    }
                    if !isDeleted, isUpdatedBelow {
                        context.update(table, key) { $0.delete(key, entity: layout.index) }
                    } else if context.layers.top.tables[table].state(of: key) == .updated {
                        context.update(table, key) { $0.forget(key) }
                    }
                    continue
                }
                keys[layout.index, default: []].append(key)
            }
            level = []
            for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
                let layout = context.model.layouts[entity]
                let rules = context.model.deletionRules[entity]
                for relationship in rules.cascading {
                    level += destinationsOrFailure(of: keys, relationship, in: layout)
                        .filter(cascades)
                }
                for key in keys { deleteRow(key, layout, rules) }
            }
        }
    }

    /// Returns the rows that others have deleted, although they may have unsaved changes.
    private func rowsDeletedElsewhere(
        among rows: [(key: Int64, layout: EntityLayout)]
    ) -> Set<Int64> {
        var gone: Set<Int64> = []
        var unknown: [Int: [Int64]] = [:]
        for (key, layout) in rows {
            if let object = context.identityMap[key] {
                if object.isDeleted { gone.insert(key) }
            } else if context.layers.state(of: key, layout.table.index) == .updated {
                // An unsaved reference may be all that is left of the row.
                unknown[layout.table.index, default: []].append(key)
            }
        }
        for (table, keys) in unknown {
            do throws(PersistenceError) {
                let stored = try context.storedRows(keys, context.model.tables[table])
                gone.formUnion(keys.filter { stored[$0] == nil })
            } catch {
                context.errors.note(error)
            }
        }
        return gone
    }

    private func deleteRow(_ key: Int64, _ layout: EntityLayout, _ rules: DeletionRules) {
        if context.layers.isDeleted(key, layout.table.index) { return }
        if let object = context.identityMap[key] {
            if !object.isLoaded { object.load() }
            object.markDeleted()
            if context.isObserved { RelationshipNotifier(context).noteDeletion(of: object) }
        }
        context.update(layout.table.index, key) { $0.delete(key, entity: layout.index) }
        // The parents remove references in their own changes when they take the deletion.
        removeReferences(to: key, rules, keepsDenying: true) { existingReferences(to: key, $1, $0) }
    }

    /// Returns the rows with unsaved references to a key, without those that others have deleted and
    /// of which this level has no changes: saving a change of them would fail.
    private func existingReferences(to key: Int64, _ column: Int, _ table: Int) -> [Int64] {
        let sources = context.layers.references(to: key, column, table)
        let others = sources.filter { context.layers.top.tables[table].slot(of: $0) == nil }
        if others.isEmpty { return sources }
        let layout = context.model.layouts[context.model.tables[table].entities[0]]
        let gone = rowsDeletedElsewhere(among: others.map { ($0, layout) })
        return sources.filter { !gone.contains($0) }
    }

    /// Returns the destinations of rows with their entities.
    private func destinationsOrFailure(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) -> [(key: Int64, layout: EntityLayout)] {
        do throws(PersistenceError) {
            let members = try context.relationships.members(of: keys, relationship, in: layout)
            let found = keys.flatMap { members[$0] ?? [] }
            return try context.withEntities(
                found, in: context.model.layouts[relationship.destination])
        } catch {
            context.errors.note(error)
            return []
        }
    }

    /// Returns the rows that the delete rules of rows delete which a child has deleted.
    ///
    /// The child has applied the rules to what it knew, and not to what this context has attached since.
    func dependents(
        ofDeletedIn changes: ChangeSet
    ) -> [(key: Int64, layout: EntityLayout)] {
        var dependents: [(key: Int64, layout: EntityLayout)] = []
        for layout in context.model.layouts {
            let rows = changes.tables[layout.table.index]
            let cascading = context.model.deletionRules[layout.index].cascading
            guard rows.hasRemovals, !cascading.isEmpty else { continue }
            let keys = (0..<rows.count).filter {
                rows.states[$0].isDeletion && rows.entities[$0] == layout.index
                    && !context.layers.isDeleted(rows.keys[$0], layout.table.index)
            }.map { rows.keys[$0] }
            if keys.isEmpty { continue }
            for relationship in cascading {
                dependents += destinationsOrFailure(of: keys, relationship, in: layout)
            }
        }
        return dependents
    }

    /// Removes references to rows that others have deleted from the unsaved changes of this level.
    ///
    /// - Parameters:
    ///   - rows: The deleted rows and their entities.
    ///   - keepsDenying: A Boolean value that indicates whether references that deny the deletion are
    ///     kept, so that saving finds them.
    func removeReferences(
        to rows: some Sequence<(key: Int64, entity: Int)>, keepsDenying: Bool = false
    ) {
        for (key, entity) in rows {
            let rules = context.model.deletionRules[entity]
            removeReferences(to: key, rules, keepsDenying: keepsDenying) { table, column in
                context.layers.top.update(table) { $0.references(to: key, column) }
            }
        }
    }

    /// Removes references to a deleted row from unsaved changes; saving removes stored ones.
    private func removeReferences(
        to key: Int64, _ rules: DeletionRules, keepsDenying: Bool,
        from sources: (_ table: Int, _ column: Int) -> [Int64]
    ) {
        for column in rules.columns where !(keepsDenying && column.isDenying) {
            let layout = context.model.layouts[context.model.tables[column.table].entities[0]]
            for source in sources(column.table, column.column) {
                context.set(.null, column.column, of: source, in: layout, isClearing: true)
            }
        }
        for link in rules.links where !(keepsDenying && link.isDenying) {
            for (pair, _) in context.layers.top.links[link.link].pairs(
                of: key, isSource: link.isSource)
            {
                context.record { $0.record(pair, link.link) }
            }
            context.layers.top.updateLink(link.link) {
                $0.removePairs(of: key, isSource: link.isSource)
            }
        }
    }
}
