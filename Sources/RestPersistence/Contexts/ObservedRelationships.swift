// SPDX-License-Identifier: Apache-2.0

/// The objects of the main context whose relationships have been read, by relationship.
///
/// A change of a row can change the relationships of other objects, which the change does not always name.
/// Only those whose relationship has been read can have observers.
struct ObservedRelationships {
    /// The keys of objects, by the indices of their entity and of the relationship.
    private var keys: [[Set<Int64>]] = []

    var isEmpty: Bool { keys.allSatisfy { $0.allSatisfy(\.isEmpty) } }

    /// Adds an object whose relationship is read.
    mutating func insert(_ key: Int64, of relationship: RelationshipLayout, in layout: EntityLayout)
    {
        while keys.count <= layout.index { keys.append([]) }
        while keys[layout.index].count <= relationship.index { keys[layout.index].append([]) }
        keys[layout.index][relationship.index].insert(key)
    }

    /// Returns the keys of the objects whose relationship has been read.
    func keys(of relationship: RelationshipLayout, in layout: EntityLayout) -> Set<Int64> {
        guard layout.index < keys.count, relationship.index < keys[layout.index].count else {
            return []
        }
        return keys[layout.index][relationship.index]
    }

    /// Replaces the key of an object that has become that of a stored row.
    mutating func replace(_ old: Int64, by new: Int64) {
        update { keys in
            if keys.remove(old) != nil { keys.insert(new) }
        }
    }

    /// Removes all objects that do not satisfy a condition.
    mutating func removeAll(unless isKept: (Int64) -> Bool) {
        update { keys in keys = keys.filter(isKept) }
    }

    private mutating func update(_ body: (inout Set<Int64>) -> Void) {
        for layout in keys.indices {
            for relationship in keys[layout].indices where !keys[layout][relationship].isEmpty {
                body(&keys[layout][relationship])
            }
        }
    }
}

/// The relationships that commits have changed in other rows than those of their objects.
struct ChangedRelationships {
    /// The changed columns of each table; all of them if rows were inserted or deleted.
    private var columns: [ColumnMask]
    /// The changed rows of each join table.
    var pairs: [[LinkPair]]
    /// A Boolean value that indicates whether a commit does not name its rows.
    var hasUnnamedChanges = false

    init(in model: ManagedObjectModel) {
        columns = model.tables.map { _ in ColumnMask() }
        pairs = model.links.map { _ in [] }
    }

    /// Adds the changes of a commit.
    mutating func add(_ commit: StoreCommit, in model: ManagedObjectModel) {
        for link in model.links.indices where !commit.links[link].isEmpty {
            let changes = commit.links[link]
            pairs[link] += changes.inserted + changes.deleted + changes.moved
        }
        for table in model.tables where !commit.tables[table.index].isEmpty {
            let changes = commit.tables[table.index]
            let isWhole =
                !changes.inserted.isEmpty || !changes.deleted.isEmpty || changes.isUnnamed
            if isWhole {
                columns[table.index] = ColumnMask(first: table.width)
            } else {
                for update in changes.updated.values {
                    columns[table.index].formUnion(update.mask)
                }
            }
        }
        if commit.hasUnnamedChanges { hasUnnamedChanges = true }
    }

    /// Returns a Boolean value that indicates whether a relationship of any object may have changed.
    func contain(_ relationship: RelationshipLayout, in model: ManagedObjectModel)
        -> Bool
    {
        guard case .inverseColumn(let column, let position) = relationship.storage else {
            return hasUnnamedChanges
        }
        let mask = columns[model.layouts[relationship.destination].table.index]
        return mask.contains(column) || position.map(mask.contains) == true
    }
}
