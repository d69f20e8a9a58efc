// SPDX-License-Identifier: Apache-2.0

/// Unsaved changes, by table and join table.
package struct ChangeSet: Sendable {
    /// The changed rows, by the index of the table.
    package private(set) var tables: [TableChanges]
    /// The changed rows of join tables, by the index of the link.
    package private(set) var links: [LinkChanges]
    /// The references whose destinations do not exist.
    package var pending = ReferenceChanges()
    /// The new rows that imports have searched for.
    package var imported = ImportedInsertions()
    /// The changes of fetched collections, in order.
    package var collections: [CollectionChange] = []
    /// The columns that imports have set, for entities whose rows are explained, in order.
    package var writes: [RecordedWrite] = []
    /// The number of objects that imports found to have all values already.
    package var unchangedCount = 0

    package init(model: ManagedObjectModel) {
        tables = model.tables.map { TableChanges(width: $0.width) }
        links = Array(repeating: LinkChanges(), count: model.links.count)
    }

    /// A Boolean value that indicates whether saving would write nothing.
    package var isEmpty: Bool {
        tables.allSatisfy(\.isEmpty) && links.allSatisfy(\.isEmpty) && pending.isEmpty
            && collections.isEmpty
    }

    /// A Boolean value that indicates whether a row is deleted.
    package var hasDeletions: Bool { tables.contains { $0.deletedCount > 0 } }

    /// The number of changed rows, including those of join tables.
    var count: Int {
        tables.reduce(0) { $0 + $1.count } + links.reduce(0) { $0 + $1.pairs.count }
    }

    func state(of id: ManagedObjectID) -> RowState? {
        tables[id.layout.table.index].state(of: id.key)
    }

    /// Calls a closure with the changes of a table, to mutate them in place.
    package mutating func update<Result>(
        _ table: Int, _ body: (inout TableChanges) -> Result
    ) -> Result {
        body(&tables[table])
    }

    /// Calls a closure with the changes of a join table, to mutate them in place.
    package mutating func updateLink<Result>(
        _ link: Int, _ body: (inout LinkChanges) -> Result
    ) -> Result {
        body(&links[link])
    }

    /// Adds the changes of the layer above, which win.
    package mutating func absorb(_ upper: ChangeSet) {
        for table in tables.indices { tables[table].absorb(upper.tables[table]) }
        for link in links.indices { links[link].absorb(upper.links[link]) }
        pending.absorb(upper.pending)
        imported.absorb(upper.imported)
        collections += upper.collections
        writes += upper.writes
        unchangedCount += upper.unchangedCount
    }
}

/// The kind of change of a row.
@usableFromInline package enum RowState: UInt8, Sendable {
    case inserted
    case updated
    case deleted
    /// Inserted and deleted without being saved.
    case dropped

    @inlinable package var isDeletion: Bool { self == .deleted || self == .dropped }
}
