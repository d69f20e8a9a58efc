// SPDX-License-Identifier: Apache-2.0

/// The sources of a one-to-one relationship that a save changes, and those of the same destinations in the store
/// or in a parent.
///
/// Two sources that refer to one destination are in different rows, so that the comparison of values with those
/// before the edits does not find them.
package struct OneToOneSources {
    package struct Row {
        package var entity: Int
        /// The value in the store, or in the parent; `nil` for a new row.
        package var stored: StoredValue?
        /// The value to write; `nil` to keep the stored one.
        package var written: StoredValue?
        /// The stored value before the edit, if it is known.
        package var base: StoredValue?
        package var isNew = false
        /// A Boolean value that indicates whether the value wins under each policy, because it is of an
        /// import or follows from a value that has won.
        var isImported = false
        /// A Boolean value that indicates whether ``written`` differs from the unsaved changes.
        package var isAltered = false

        var destination: Int64? {
            if case .integer(let key) = written ?? stored { key } else { nil }
        }
    }

    /// A Boolean value that indicates whether the relationship is its own inverse, so that both
    /// objects refer to each other.
    let isSymmetric: Bool
    package private(set) var rows: [Int64: Row] = [:]

    package init(_ changes: ChangeSet, _ column: Int, _ layout: EntityLayout, isSymmetric: Bool) {
        self.isSymmetric = isSymmetric
        let table = changes.tables[layout.table.index]
        var imported: Set<Int64> = []
        for group in changes.imported.groups { imported.formUnion(group.assigned.keys) }
        for slot in 0..<table.count
        where !table.states[slot].isDeletion && table.hasValue(slot, column) {
            let (key, isNew) = (table.keys[slot], table.states[slot] == .inserted)
            let (value, base) = (table.value(slot, column), table.base(slot, column))
            guard layout.includes(table.entities[slot]) || !value.isNull else { continue }
            if isNew, value.isNull, !isSymmetric { continue }
            rows[key] = Row(
                entity: table.entities[slot], written: value, base: base, isNew: isNew,
                isImported: isNew ? imported.contains(key) : base == nil)
        }
    }

    /// The keys to which the rows refer, or will if their changes are discarded.
    var destinations: Set<Int64> {
        Set(rows.values.compactMap(\.destination))
    }

    /// Adds the stored value of a row.
    package mutating func take(_ value: StoredValue, ofRow key: Int64, entity: Int) {
        rows[key, default: Row(entity: entity)].stored = value
    }

    /// Discards the change of a row.
    mutating func discard(_ key: Int64) { rows[key]?.written = nil }

    /// Removes the rows that others have deleted.
    package mutating func discardMissing() {
        rows = rows.filter { $0.value.isNew || $0.value.stored != nil }
    }

    /// Changes the rows so that each destination has one source.
    ///
    /// - Returns: The destinations in conflict.
    package mutating func resolve(_ policy: MergePolicy) -> [Int64] {
        var conflicts: Set<Int64> = []
        while let (key, others) = contested(except: conflicts) {
            if policy == .fail, !others.contains(where: { rows[$0]?.isImported == true }) {
                conflicts.insert(key)
            } else if isSymmetric {
                resolvePair(key, others, policy)
            } else {
                resolve(others, policy)
            }
        }
        return conflicts.sorted()
    }

    /// Returns a destination with several sources, and the sources; for a symmetric relationship, an
    /// object whose destination does not refer to it, and both.
    private func contested(except known: Set<Int64>) -> (Int64, [Int64])? {
        if isSymmetric {
            for key in rows.keys.sorted() where !known.contains(key) {
                guard let other = rows[key]?.destination, let row = rows[other],
                    row.destination != key, rows[key]?.written != nil || row.written != nil
                else { continue }
                return (key, [key, other])
            }
            return nil
        }
        var sources: [Int64: [Int64]] = [:]
        for (key, row) in rows {
            if let destination = row.destination { sources[destination, default: []].append(key) }
        }
        let found = sources.filter { destination, keys in
            keys.count > 1 && !known.contains(destination)
                && keys.contains { rows[$0]?.written != nil }
        }
        return found.min { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }

    private mutating func resolve(_ sources: [Int64], _ policy: MergePolicy) {
        let written = sources.filter { rows[$0]?.written != nil }
        let imported = written.last { rows[$0]?.isImported == true }
        if imported == nil, policy == .storeWins, written.count < sources.count {
            for key in written { revert(key) }
            return
        }
        for key in sources where key != imported ?? written.last { set(.null, of: key) }
    }

    private mutating func resolvePair(_ key: Int64, _ pair: [Int64], _ policy: MergePolicy) {
        let other = pair[1]
        guard let own = rows[key], let partner = rows[other] else { return }
        let isImported = own.isImported || partner.isImported
        if policy == .storeWins, !isImported {
            revert(own.written == nil ? other : key)
        } else if own.written != nil, partner.written == nil {
            set(.integer(key), of: other)
        } else {
            set(.null, of: key)
        }
    }

    private mutating func set(_ value: StoredValue, of key: Int64) {
        rows[key]?.written = value
        rows[key]?.isAltered = true
        // It is decided, so that what follows from it is no conflict.
        rows[key]?.isImported = true
    }

    private mutating func revert(_ key: Int64) {
        guard let row = rows[key] else { return }
        rows[key]?.written = row.isNew ? .null : nil
        rows[key]?.isAltered = true
    }
}
