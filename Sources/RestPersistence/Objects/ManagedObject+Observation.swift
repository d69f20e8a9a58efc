// SPDX-License-Identifier: Apache-2.0

import Observation

/// Observation of objects of the main context.
///
/// What can be observed are slots: the state, the columns, and the relationships that are stored in
/// other rows. A slot is an argument of a key path, which observation needs.
extension ManagedObject {
    /// The slot of ``objectState``.
    static var stateSlot: Int { 0 }

    static func slot(ofColumn column: Int) -> Int { column + 1 }

    /// The slot of a relationship.
    final func slot(of relationship: RelationshipLayout) -> Int {
        if case .column(let column) = relationship.storage { return Self.slot(ofColumn: column) }
        return layout.width + 1 + relationship.index
    }

    /// The subject of the key paths of slots; its value has no meaning.
    final subscript(observed slot: Int) -> Int { slot }

    /// The key paths of the first slots, which creating would cost an allocation each.
    private static let paths: [any KeyPath<ManagedObject, Int> & Sendable] =
        (0..<256).map { \ManagedObject.[observed: $0] }

    private static func path(_ slot: Int) -> KeyPath<ManagedObject, Int> {
        if slot < paths.count { return paths[slot] }
        return \ManagedObject.[observed: slot]
    }

    /// Notes that a slot has been read, for observers.
    final func noteRead(of slot: Int) {
        guard context.isObserved else { return }
        let registrar = registrar ?? ObservationRegistrar()
        self.registrar = registrar
        registrar.access(self, keyPath: Self.path(slot))
    }

    /// Notes that a slot has changed, for observers.
    final func noteChange(of slot: Int) {
        registrar?.withMutation(of: self, keyPath: Self.path(slot)) {}
    }

    /// Notes that a column has changed, and with a foreign key the relationships of its destinations.
    final func noteChange(ofColumn column: Int, from old: StoredValue, to new: StoredValue) {
        guard context.isObserved, old != new else { return }
        noteChange(of: Self.slot(ofColumn: column))
        guard let destination = layout.columns[column].destination else { return }
        for case .integer(let key) in [old, new] {
            guard let other = context.identityMap[key], other.registrar != nil else { continue }
            other.noteChange(ofInversesIn: layout.table, column, destination: destination)
        }
    }

    /// Notes that relationships have changed that are stored in a column of another table.
    private func noteChange(ofInversesIn table: TableLayout, _ column: Int, destination: Int) {
        for relationship in layout.relationships {
            guard case .inverseColumn(column, _) = relationship.storage,
                context.model.layouts[relationship.destination].table === table
            else { continue }
            noteChange(of: slot(of: relationship))
        }
    }

    /// Notes that columns may have changed; `nil` for all columns and relationships.
    final func noteInvalidation(_ mask: ColumnMask?) {
        guard registrar != nil else { return }
        guard let mask else {
            for slot in 1..<layout.width + 1 + layout.relationships.count { noteChange(of: slot) }
            return
        }
        for column in mask.columns { noteChange(of: Self.slot(ofColumn: column)) }
    }
}

extension ManagedObjectContext {
    /// Notes that a row of a join table has changed, for observers.
    func noteLinkChange(_ pair: LinkPair, _ link: Int) {
        guard isObserved else { return }
        for isSource in [true, false] {
            guard let object = identityMap[pair.key(isSource: isSource)], object.registrar != nil
            else { continue }
            for relationship in object.layout.relationships {
                guard case .link(link, _) = relationship.storage else { continue }
                object.noteChange(of: object.slot(of: relationship))
            }
        }
    }

    /// Notes that an object is no longer a destination, for observers.
    ///
    /// Objects with a join table to its table are all notified, because the rows are not read.
    func noteDeletion(of deleted: ManagedObject) {
        let table = deleted.layout.table
        let key = StoredValue.integer(deleted.objectID.key)
        for object in identityMap.objects where object.registrar != nil {
            for relationship in object.layout.relationships
            where model.layouts[relationship.destination].table === table {
                let isRelated =
                    switch relationship.storage {
                    case .column(let column): object.values[column] == key
                    case .inverseColumn(let column, _):
                        deleted.values[column] == .integer(object.objectID.key)
                    case .link: true
                    }
                if isRelated { object.noteChange(of: object.slot(of: relationship)) }
            }
        }
    }

    /// Notes the relationships that a commit has changed in other rows than those of their objects.
    ///
    /// A commit does not name the sources of changed foreign keys, so that all objects with such a
    /// relationship are notified.
    func notifyRelationships(_ commit: StoreCommit) {
        for link in model.links.indices where !commit.links[link].isEmpty {
            let changes = commit.links[link]
            for pair in changes.inserted + changes.deleted + changes.moved {
                noteLinkChange(pair, link)
            }
        }
        var columns = model.tables.map { _ in ColumnMask() }
        for table in model.tables where !commit.tables[table.index].isEmpty {
            let changes = commit.tables[table.index]
            let isWhole =
                !changes.inserted.isEmpty || !changes.deleted.isEmpty || changes.isUnnamed
            if isWhole { columns[table.index] = ColumnMask(first: table.width) }
            for update in changes.updated.values { columns[table.index].formUnion(update.mask) }
        }
        for object in identityMap.objects where object.registrar != nil {
            for relationship in object.layout.relationships {
                guard case .inverseColumn(let column, let position) = relationship.storage else {
                    if commit.hasUnnamedChanges {
                        object.noteChange(of: object.slot(of: relationship))
                    }
                    continue
                }
                let mask = columns[model.layouts[relationship.destination].table.index]
                if mask.contains(column) || position.map(mask.contains) == true {
                    object.noteChange(of: object.slot(of: relationship))
                }
            }
        }
    }
}
