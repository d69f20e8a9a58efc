// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The resolution of the rows of an entity to objects by identity.
struct ImportResolution {
    let batch: EntityBatch
    /// The canonical row of each row: the first row with the same identity.
    private(set) var canonical: [Int] = []
    /// The key of each canonical row; 0 if it is not known yet.
    private(set) var keys: [Int64]
    /// The canonical rows of new objects.
    private(set) var created: [Int] = []
    /// The keys of new objects.
    private(set) var createdKeys: Range<Int64> = 0..<0
    /// The rows of sub-entities that have the values of canonical rows, which represent the same objects.
    private(set) var aliases: [Int: BatchRow] = [:]
    /// The rows without identity, if the entity has identification attributes.
    private(set) var anonymous: [Int] = []
    /// The rows whose identity several objects have.
    private(set) var ambiguous: Set<Int> = []
    private var identities: IdentityTable
    /// The canonical rows with an identity, in document order.
    private var identified: [Int] = []
    /// The canonical rows of objects that have not been modified.
    private(set) var unmodified: Set<Int> = []
    /// The canonical row of the object of the request.
    private var target: Int?

    /// Creates a resolution that merges rows with the same identity; values of later rows win.
    init(_ batch: EntityBatch) {
        self.batch = batch
        keys = Array(repeating: 0, count: batch.count)
        identities = IdentityTable(capacity: batch.count)
        canonical.reserveCapacity(batch.count)
        let column = batch.identity.count == 1 ? batch.identity[0] : nil
        for row in 0..<batch.count {
            guard !batch.isDropped[row], !batch.identity.isEmpty else {
                canonical.append(row)
                continue
            }
            let first: Int
            if let column, let integer = batch.integer(row, column) {
                first = identities.insert(integer, row)
            } else if let identity = identity(row) {
                first = identities.insert(identity, row)
            } else {
                anonymous.append(row)
                canonical.append(row)
                continue
            }
            canonical.append(first)
            if first == row { identified.append(row) } else { batch.moveValues(of: row, to: first) }
        }
    }

    /// Returns the identity of a row; `nil` if one of its values is null.
    func identity(_ row: Int) -> IdentityKey? {
        if batch.identity.count == 1 {
            let value = batch.value(row, batch.identity[0])
            return value.isNull ? nil : IdentityKey(single: value)
        }
        let values = batch.identity.map { batch.value(row, $0) }
        return values.contains(.null) ? nil : IdentityKey(values)
    }

    /// Finds existing objects: first among unsaved changes, then in the database by one query.
    ///
    /// An identity that the entity declares is unique in the table and found in all of its entities.
    /// Other attributes, and references, identify objects of the entity and those that inherit from
    /// it.
    ///
    /// - Parameters:
    ///   - layered: The rows.
    ///   - predicate: The condition on the objects.
    ///   - isReference: A Boolean value that indicates whether the rows are references.
    ///   - joins: A Boolean value that indicates whether SQLite reads the identities of the batch; otherwise
    ///     they are parameters of its statements.
    /// - Throws: ``PersistenceError`` of the database.
    mutating func find(
        in layered: LayeredRows, matching predicate: IdentificationPredicate? = nil,
        isReference: Bool = false, joins: Bool
    ) throws(PersistenceError) {
        let layout = batch.layout
        let pending = layered.effectiveChanges(of: layout.table.index)
        let isUnique = batch.identity == layout.identity && !isReference
        let allowed = try predicate?.allowedKeys(identified, of: batch, in: layered)
        findPending(pending, isUnique: isUnique, allowed)
        let unresolved = inOrder(identified.filter { keys[$0] == 0 })
        guard !unresolved.isEmpty else { return }
        if !isUnique {
            try layered.database.addIndex(
                LookupIndex(batch.identity), of: layout.table, in: layered.transaction)
        }
        let entities =
            isUnique ? [] : layout.subentities.map { layered.model.layouts[$0].name }
        let lookup = IdentityLookup(layout: layout, columns: batch.identity, entities: entities)
        let found =
            joins && batch.identity.count <= BatchTable.maximumPassedCount
            ? try join(unresolved, lookup, in: layered)
            : try find(unresolved, lookup, in: layered)
        for (row, key) in found {
            if !pending.isEmpty, let slot = pending.slot(of: key) {
                // The context has deleted the object or changed its identity.
                let hasChangedIdentity = batch.identity.contains {
                    pending.masks[slot].contains($0)
                }
                if hasChangedIdentity || pending.isDeleted(key) { continue }
            }
            if allowed?[row]?.contains(key) == false { continue }
            assign(key, toFound: row)
        }
    }

    /// Returns the stored rows that have the identities of rows, by a statement that reads the batch.
    private func join(
        _ rows: [Int], _ lookup: IdentityLookup, in layered: LayeredRows
    ) throws(PersistenceError) -> [(row: Int, key: Int64)] {
        let table = batch.table(of: rows)
        try layered.read { try lookup.find(table, in: $0) }
        return table.matches
    }

    /// Returns the stored rows that have the identities of rows, by statements with parameters.
    private func find(
        _ rows: [Int], _ lookup: IdentityLookup, in layered: LayeredRows
    ) throws(PersistenceError) -> [(row: Int, key: Int64)] {
        var found: [(row: Int, key: Int64)] = []
        try layered.read { database in
            try lookup.find(rows.compactMap(identity), in: database) { identity, key in
                if let row = identities[identity] { found.append((row, key)) }
            }
        }
        return found
    }

    /// Returns rows in the order of their identities if these are integers, in which an index finds them
    /// with fewer pages.
    private func inOrder(_ rows: [Int]) -> [Int] {
        guard batch.identity.count == 1 else { return rows }
        var integers: [(integer: Int64, row: Int)] = []
        integers.reserveCapacity(rows.count)
        var isOrdered = true
        for row in rows {
            guard let integer = batch.integer(row, batch.identity[0]) else { return rows }
            if let last = integers.last, last.integer > integer { isOrdered = false }
            integers.append((integer, row))
        }
        return isOrdered ? rows : integers.sorted { $0.integer < $1.integer }.map(\.row)
    }

    /// Assigns the key of the object of the request to a row, whatever its identity.
    mutating func assign(_ key: Int64, to row: Int) {
        target = canonical[row]
        keys[canonical[row]] = key
    }

    /// Assigns the key of an existing destination to a row that no object was found for.
    mutating func reuse(_ key: Int64, for row: Int) { keys[canonical[row]] = key }

    /// Returns a Boolean value that indicates whether no object has been found for a row.
    func isUnresolved(_ row: Int) -> Bool {
        let row = canonical[row]
        return keys[row] == 0 && !batch.isDropped[row] && aliases[row] == nil
    }

    /// Records that another row has the values of a canonical row.
    mutating func join(_ row: Int, to other: BatchRow) { aliases[row] = other }

    /// The keys of the objects that have been found.
    var resolvedKeys: [Int64] { keys.filter { $0 != 0 } }

    /// Assigns a key to a row; the oldest of several objects wins.
    private mutating func assign(_ key: Int64, toFound row: Int) {
        if row == target { return }
        if keys[row] != 0, keys[row] != key { ambiguous.insert(row) }
        if keys[row] == 0 || key < keys[row] { keys[row] = key }
    }

    private mutating func findPending(
        _ pending: TableChanges, isUnique: Bool, _ allowed: [Int: Set<Int64>]?
    ) {
        guard !pending.isEmpty, !batch.identity.isEmpty else { return }
        for slot in 0..<pending.count {
            guard isUnique || batch.layout.includes(pending.entities[slot]) else { continue }
            let isNew = pending.states[slot] == .inserted
            let isChanged =
                pending.states[slot] == .updated
                && batch.identity.allSatisfy { pending.masks[slot].contains($0) }
            guard isNew || isChanged else { continue }
            let identity = IdentityKey(batch.identity.map { pending.value(slot, $0) })
            guard let row = identities[identity],
                allowed?[row]?.contains(pending.keys[slot]) != false
            else { continue }
            assign(pending.keys[slot], toFound: row)
        }
    }

    /// Records that canonical rows have not been modified.
    mutating func markUnmodified(_ rows: Set<Int>) { unmodified = rows }

    /// Returns all rows of the objects of canonical rows.
    func occurrences(of rows: Set<Int>) -> Set<Int> {
        Set((0..<batch.count).filter { rows.contains(canonical[$0]) })
    }

    /// Drops the objects of which all rows are given.
    mutating func drop(occurrences: Set<Int>) {
        var kept: Set<Int> = []
        for row in 0..<batch.count where !occurrences.contains(row) { kept.insert(canonical[row]) }
        drop(Set(occurrences.map { canonical[$0] }).subtracting(kept).sorted())
    }

    /// The keys of the objects that are connected: all but those that have not been modified.
    var connectedKeys: [Int64] {
        (0..<batch.count).compactMap { row in
            canonical[row] == row && !unmodified.contains(row) ? key(of: row) : nil
        }
    }

    /// Reserves keys for new objects.
    mutating func create(in layered: LayeredRows) throws(PersistenceError) {
        created = (0..<batch.count).filter {
            canonical[$0] == $0 && keys[$0] == 0 && !batch.isDropped[$0] && aliases[$0] == nil
        }
        guard !created.isEmpty else { return }
        createdKeys = try layered.reserveKeys(created.count)
        for (row, key) in zip(created, createdKeys) { keys[row] = key }
    }

    /// Returns the key of a row's object; `nil` if the row was dropped.
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
