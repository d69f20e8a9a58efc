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
    private func slot(of relationship: RelationshipLayout) -> Int {
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

    /// Notes that a relationship has been read, for observers.
    final func noteRead(of relationship: RelationshipLayout) {
        guard context.isObserved else { return }
        noteRead(of: slot(of: relationship))
        context.identityMap.observed.insert(objectID.key, of: relationship, in: layout)
    }

    /// Notes that a relationship has changed, for observers.
    final func noteChange(of relationship: RelationshipLayout) {
        noteChange(of: slot(of: relationship))
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
            noteChange(of: relationship)
        }
    }

    /// The slot of the relation of the object to a server, which an outbox knows.
    private var syncSlot: Int { layout.width + 1 + layout.relationships.count }

    /// Notes that the relation of the object to a server has been read, for observers.
    package final func noteReadOfSyncState() { noteRead(of: syncSlot) }

    /// Notes that the relation of the object to a server has changed, for observers.
    package final func noteChangeOfSyncState() { noteChange(of: syncSlot) }

    /// A Boolean value that indicates whether the object can be observed.
    package final var isObservable: Bool { context.isObserved }

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
