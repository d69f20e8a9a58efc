// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// Decides for the rows of one entity which are the same object, and which object each one is.
struct ImportResolution {
    let batch: EntityBatch
    /// By row: the row that stands for the same object, itself for the first of them.
    private(set) var canonical: [Int] = []
    /// By canonical row: the object's key, 0 while unknown.
    private(set) var keys: [Int64]
    /// Rows that stand for new objects.
    private(set) var created: [Int] = []
    /// Keys of new objects.
    private(set) var createdKeys: Range<Int64> = 0..<0
    /// Rows of entities with an identity that have none.
    private(set) var anonymous: [Int] = []
    private var identities: [IdentityKey: Int] = [:]

    /// Unites rows with the same identity; what a later one has goes over the earlier one's.
    init(_ batch: EntityBatch) {
        self.batch = batch
        keys = Array(repeating: 0, count: batch.count)
        canonical.reserveCapacity(batch.count)
        if !batch.identity.isEmpty { identities.reserveCapacity(batch.count) }
        for row in 0..<batch.count {
            guard !batch.isDropped[row], !batch.identity.isEmpty else {
                canonical.append(row)
                continue
            }
            guard let identity = identity(row) else {
                anonymous.append(row)
                canonical.append(row)
                continue
            }
            if let first = identities[identity] {
                canonical.append(first)
                for column in batch.masks[row].columns {
                    batch.set(batch.value(row, column), column, of: first)
                }
            } else {
                identities[identity] = row
                canonical.append(row)
            }
        }
    }

    private func identity(_ row: Int) -> IdentityKey? {
        if batch.identity.count == 1 {
            let value = batch.value(row, batch.identity[0])
            return value.isNull ? nil : IdentityKey(single: value)
        }
        let values = batch.identity.map { batch.value(row, $0) }
        return values.contains(.null) ? nil : IdentityKey(values)
    }

    /// Finds existing objects: those with unsaved values first, then rows, in one query.
    mutating func find(in context: ManagedObjectContext) throws(PersistenceError) {
        let layout = batch.layout
        let pending = context.changes.entities[layout.index]
        findPending(pending)
        let wanted = identities.filter { keys[$0.value] == 0 }.map(\.key)
        guard !wanted.isEmpty else { return }
        let lookup = IdentityLookup(layout: layout, columns: batch.identity)
        var found: [(IdentityKey, Int64)] = []
        try context.database.read { database in
            try lookup.find(wanted, in: database) { identity, key in
                if !pending.isEmpty, let slot = pending.slot(of: key) {
                    // Deleted here, or its identity is another one here.
                    let isOther = batch.identity.contains { pending.masks[slot].contains($0) }
                    if isOther || pending.isDeleted(key) { return }
                }
                found.append((identity, key))
            }
        }
        for (identity, key) in found { take(key, identity) }
    }

    /// Of several objects with one identity the oldest is taken.
    private mutating func take(_ key: Int64, _ identity: IdentityKey) {
        guard let row = identities[identity] else { return }
        if keys[row] == 0 || key < keys[row] { keys[row] = key }
    }

    private mutating func findPending(_ pending: EntityChanges) {
        guard !pending.isEmpty, !batch.identity.isEmpty else { return }
        for slot in 0..<pending.count {
            let isNew = pending.states[slot] == .inserted
            let isChanged =
                pending.states[slot] == .updated
                && batch.identity.allSatisfy { pending.masks[slot].contains($0) }
            guard isNew || isChanged else { continue }
            take(
                pending.keys[slot],
                IdentityKey(batch.identity.map { pending.value(slot, $0) }))
        }
    }

    /// Gives keys to the rows that stand for new objects.
    mutating func create(in context: ManagedObjectContext) throws(PersistenceError) {
        created = (0..<batch.count).filter {
            canonical[$0] == $0 && keys[$0] == 0 && !batch.isDropped[$0]
        }
        guard !created.isEmpty else { return }
        createdKeys = try context.database.reserveKeys(created.count)
        for (row, key) in zip(created, createdKeys) { keys[row] = key }
    }

    /// The key of the object a row stands for; `nil` if the row was left out.
    func key(of row: Int) -> Int64? {
        let key = keys[canonical[row]]
        return key == 0 ? nil : key
    }

    mutating func drop(_ rows: [Int]) {
        for row in rows {
            keys[row] = 0
            batch.isDropped[row] = true
        }
        let dropped = Set(rows)
        created.removeAll { dropped.contains($0) }
    }
}
