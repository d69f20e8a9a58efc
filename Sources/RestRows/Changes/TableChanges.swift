// SPDX-License-Identifier: Apache-2.0

/// The changed rows of a table, in flat arrays.
///
/// The slot of a row is its index in these arrays. A value is valid if the row is inserted or the
/// slot's mask contains the column.
@usableFromInline package struct TableChanges: Sendable {
    @usableFromInline package let width: Int
    @usableFromInline package private(set) var keys: [Int64] = []
    /// The index of the entity of each row.
    package private(set) var entities: [Int] = []
    @usableFromInline package private(set) var states: [RowState] = []
    @usableFromInline package private(set) var masks: [ColumnMask] = []
    @usableFromInline private(set) var values: [StoredValue] = []
    @usableFromInline package private(set) var deletedCount = 0

    @usableFromInline private(set) var droppedCount = 0
    @usableFromInline private(set) var slots: [Int64: Int] = [:]
    /// The values of columns before their first edit; imports have none.
    @usableFromInline private(set) var bases: [StoredValue] = []
    /// For each slot, the row in ``bases``; -1 for none.
    @usableFromInline private(set) var baseRows: [Int] = []
    /// The columns whose base is the saved value.
    @usableFromInline private(set) var baseMasks: [ColumnMask] = []
    /// The columns whose base is the unsaved value of an import.
    private var importedMasks: [ColumnMask] = []
    /// The columns whose reference was cleared with the deletion of its destination, by key: they have no
    /// base, but they are not values of an import.
    private var cleared: [Int64: ColumnMask] = [:]
    /// The columns whose edits only add to the value before them, by key.
    @usableFromInline private(set) var counted: [Int64: ColumnMask] = [:]
    /// The slots that refer to a key, by column; built when a column is first asked for.
    private var references: [Int: ReferenceIndex] = [:]

    package init(width: Int) { self.width = width }

    /// A Boolean value that indicates whether saving would write nothing.
    @inlinable package var isEmpty: Bool { keys.count == droppedCount }
    /// A Boolean value that indicates whether a row is deleted, even if it was never saved.
    @inlinable package var hasRemovals: Bool { deletedCount > 0 || droppedCount > 0 }
    /// The number of slots.
    @inlinable package var count: Int { keys.count }

    @inlinable package func slot(of key: Int64) -> Int? { keys.isEmpty ? nil : slots[key] }
    /// Returns the slot of a key, which is an expected one if keys come in the order of their rows; the slot after
    /// it is expected next.
    package func slot(of key: Int64, expected: inout Int) -> Int? {
        if expected >= keys.count || keys[expected] != key {
            guard let slot = slot(of: key) else { return nil }
            expected = slot
        }
        defer { expected += 1 }
        return expected
    }
    @inlinable package func state(of key: Int64) -> RowState? { slot(of: key).map { states[$0] } }
    @inlinable package func isDeleted(_ key: Int64) -> Bool { state(of: key)?.isDeletion ?? false }

    /// Returns a changed value.
    @inlinable package func value(_ slot: Int, _ column: Int) -> StoredValue {
        values[slot * width + column]
    }

    /// Returns the changed value of a row's column; `nil` if it is not changed.
    @inlinable package func changedValue(_ key: Int64, _ column: Int) -> StoredValue? {
        guard let slot = slot(of: key), hasValue(slot, column) else { return nil }
        return value(slot, column)
    }

    /// Returns a Boolean value that indicates whether the slot has a value of the column.
    @inlinable package func hasValue(_ slot: Int, _ column: Int) -> Bool {
        states[slot] == .inserted || masks[slot].contains(column)
    }

    /// Returns the saved value before the first change; `nil` if it is not known.
    @inlinable package func base(_ slot: Int, _ column: Int) -> StoredValue? {
        let row = baseRows[slot]
        guard row >= 0, baseMasks[row].contains(column) else { return nil }
        return bases[row * width + column]
    }

    /// Returns the unsaved value of an import that a program has edited since; `nil` if there is none.
    func importedBase(_ slot: Int, _ column: Int) -> StoredValue? {
        let row = baseRows[slot]
        guard row >= 0, importedMasks[row].contains(column) else { return nil }
        return bases[row * width + column]
    }

    /// Returns a Boolean value that indicates whether a reference was cleared because its destination was
    /// deleted.
    func isCleared(_ slot: Int, _ column: Int) -> Bool {
        !cleared.isEmpty && cleared[keys[slot]]?.contains(column) == true
    }

    /// Returns a Boolean value that indicates whether all edits of a column have added to the value before
    /// them, so that saving adds the difference to the stored value.
    @inlinable package func isCounted(_ slot: Int, _ column: Int) -> Bool {
        !counted.isEmpty && counted[keys[slot]]?.contains(column) == true
    }

    /// Replaces the values of a row by the changed ones.
    @inlinable package func overlay(_ key: Int64, on row: inout [StoredValue]) {
        guard let slot = slot(of: key) else { return }
        if states[slot] == .inserted || states[slot] == .dropped {
            row = Array(values[slot * width..<(slot + 1) * width])
            return
        }
        for column in masks[slot].columns { row[column] = values[slot * width + column] }
    }

    // MARK: Changing

    package mutating func reserve(_ count: Int) {
        keys.reserveCapacity(keys.count + count)
        entities.reserveCapacity(keys.count + count)
        states.reserveCapacity(keys.count + count)
        masks.reserveCapacity(keys.count + count)
        baseRows.reserveCapacity(keys.count + count)
        slots.reserveCapacity(keys.count + count)
        values.reserveCapacity(values.count + count * width)
    }

    /// Inserts a row; the mask has the columns that have been set after its insertion.
    package mutating func insert(
        _ key: Int64, _ row: [StoredValue], changed mask: ColumnMask = ColumnMask(), entity: Int
    ) {
        insert(key, row[...], changed: mask, entity: entity)
    }

    /// Inserts a row that is a part of an allocation.
    package mutating func insert(
        _ key: Int64, _ row: ArraySlice<StoredValue>, changed mask: ColumnMask = ColumnMask(),
        entity: Int
    ) {
        append(key, .inserted, entity)
        masks[keys.count - 1] = mask
        values.append(contentsOf: row)
        for column in references.keys { addReference(column, keys.count - 1) }
    }

    /// Returns a Boolean value that indicates whether rows are inserted or deleted, or a column is changed.
    package func concerns(_ column: Int) -> Bool {
        (0..<count).contains { states[$0] != .updated || masks[$0].contains(column) }
    }

    /// Sets a column.
    ///
    /// The base is the saved value, which is kept unless the column is changed already; `nil` replaces
    /// any saved value, and the base of an edit. The base of the first edit of an imported value is that
    /// value, so that it can be saved without the edit. A reference that is cleared because its
    /// destination was deleted keeps its base. Counting follows other edits as one of them.
    package mutating func set(
        _ value: StoredValue, _ column: Int, of key: Int64, entity: Int, base: StoredValue?,
        isClearing: Bool = false, isCounting: Bool = false
    ) {
        let slot = slot(of: key) ?? appendUpdated(key, entity)
        let isCounted =
            isCounting && base != nil && states[slot] == .updated
            && (!isEdited(slot, column) || isCounted(slot, column))
        if references[column] != nil { removeReference(column, slot) }
        if let base {
            if !hasValue(slot, column) {
                setBase(base, column, slot)
            } else if states[slot] == .updated, !isEdited(slot, column) {
                setBase(self.value(slot, column), column, slot, isImported: true)
            }
        } else if baseRows[slot] >= 0 {
            importedMasks[baseRows[slot]].remove(column)
            if !isClearing { baseMasks[baseRows[slot]].remove(column) }
        }
        if isClearing, base == nil {
            cleared[key, default: ColumnMask()].insert(column)
        } else if !cleared.isEmpty {
            cleared[key]?.remove(column)
        }
        if isCounted {
            counted[key, default: ColumnMask()].insert(column)
        } else if !counted.isEmpty {
            counted[key]?.remove(column)
        }
        masks[slot].insert(column)
        values[slot * width + column] = value
        if references[column] != nil { addReference(column, slot) }
    }

    /// Returns a Boolean value that indicates whether a program has set a column back to the value before its
    /// first edit.
    package func isSetBack(_ key: Int64, _ column: Int) -> Bool {
        guard let slot = slot(of: key), states[slot] == .updated, baseRows[slot] >= 0 else {
            return false
        }
        return base(slot, column) == value(slot, column)
    }

    /// Sets all columns of a mask, whatever the saved values are, in place of edits as well.
    package mutating func merge(
        _ key: Int64, _ mask: ColumnMask, _ row: ArraySlice<StoredValue>, entity: Int
    ) {
        let slot = slot(of: key) ?? appendUpdated(key, entity)
        for column in references.keys where mask.contains(column) { removeReference(column, slot) }
        for column in mask.columns { values[slot * width + column] = row[row.startIndex + column] }
        masks[slot].formUnion(mask)
        if baseRows[slot] >= 0 {
            importedMasks[baseRows[slot]].subtract(mask)
            baseMasks[baseRows[slot]].subtract(mask)
        }
        if !cleared.isEmpty { cleared[key]?.subtract(mask) }
        if !counted.isEmpty { counted[key]?.subtract(mask) }
        for column in references.keys where mask.contains(column) { addReference(column, slot) }
    }

    /// Sets a column of many rows, whatever the saved values are, in place of edits as well.
    package mutating func merge(
        _ values: [(key: Int64, entity: Int, value: StoredValue)], _ column: Int
    ) {
        let isIndexed = references[column] != nil
        var expected = 0
        for (key, entity, value) in values {
            let slot = slot(of: key, expected: &expected) ?? appendUpdated(key, entity)
            if isIndexed { removeReference(column, slot) }
            self.values[slot * width + column] = value
            masks[slot].insert(column)
            if baseRows[slot] >= 0 {
                importedMasks[baseRows[slot]].remove(column)
                baseMasks[baseRows[slot]].remove(column)
            }
            if !cleared.isEmpty { cleared[key]?.remove(column) }
            if !counted.isEmpty { counted[key]?.remove(column) }
            if isIndexed { addReference(column, slot) }
        }
    }

    package mutating func delete(_ key: Int64, entity: Int) {
        let slot = slot(of: key) ?? appendUpdated(key, entity)
        guard !states[slot].isDeletion else { return }
        for column in references.keys { removeReference(column, slot) }
        if states[slot] == .inserted {
            states[slot] = .dropped
            droppedCount += 1
        } else {
            states[slot] = .deleted
            deletedCount += 1
        }
    }

    /// Replaces the base of a changed column by the saved value, so that saving replaces it; what an edit
    /// has counted is added to the saved value.
    package mutating func rebase(_ key: Int64, _ column: Int, on saved: StoredValue) {
        guard let slot = slot(of: key), states[slot] == .updated, masks[slot].contains(column)
        else { return }
        if isCounted(slot, column), let base = base(slot, column),
            let sum = saved.adding(value(slot, column), minus: base)
        {
            values[slot * width + column] = sum
        }
        setBase(saved, column, slot)
    }

    /// Forgets the edit of a column, and the row if it has no other change.
    package mutating func removeEdit(_ key: Int64, _ column: Int) {
        guard let slot = slot(of: key), states[slot] == .updated, masks[slot].contains(column)
        else { return }
        // The index has slots.
        references = [:]
        masks[slot].remove(column)
        if baseRows[slot] >= 0 {
            baseMasks[baseRows[slot]].remove(column)
            importedMasks[baseRows[slot]].remove(column)
        }
        cleared[key]?.remove(column)
        counted[key]?.remove(column)
        if masks[slot].isEmpty { removeSlot(slot) }
    }

    /// Removes a slot without changes, whose place the last one takes.
    private mutating func removeSlot(_ slot: Int) {
        let (key, last) = (keys[slot], keys.count - 1)
        if slot != last {
            slots[keys[last]] = slot
            for column in 0..<width {
                values[slot * width + column] = values[last * width + column]
            }
        }
        slots[key] = nil
        keys.swapAt(slot, last)
        entities.swapAt(slot, last)
        states.swapAt(slot, last)
        masks.swapAt(slot, last)
        baseRows.swapAt(slot, last)
        keys.removeLast()
        entities.removeLast()
        states.removeLast()
        masks.removeLast()
        baseRows.removeLast()
        values.removeLast(width)
        cleared[key] = nil
        counted[key] = nil
    }

    /// Forgets the bases of the columns that have equal values in other changes.
    package mutating func accept(_ other: TableChanges) {
        for slot in 0..<other.count {
            guard let own = self.slot(of: other.keys[slot]), baseRows[own] >= 0 else { continue }
            for column in masks[own].columns
            where other.hasValue(slot, column) && value(own, column) == other.value(slot, column) {
                baseMasks[baseRows[own]].remove(column)
                importedMasks[baseRows[own]].remove(column)
                counted[keys[own]]?.remove(column)
            }
        }
    }

    /// Forgets the changes of a row.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    package mutating func forget(_ key: Int64) {
        guard slot(of: key) != nil else { return }
        let all = self
        self = TableChanges(width: width)
        absorb(all, except: [key], columns: [:])
    }

    /// Adds the changes of the layer above, which win.
    ///
    /// - Parameters:
    ///   - upper: The changes.
    ///   - addsCounts: A Boolean value that indicates whether what the layer has counted is added to the
    ///     values below, as saving does; if not, its values replace them, as in its context.
    package mutating func absorb(_ upper: TableChanges, addsCounts: Bool = true) {
        if keys.isEmpty {
            self = upper
        } else {
            absorb(upper, except: [], columns: [:], addsCounts: addsCounts)
        }
    }

    /// Adds the changes of the layer above, without those of some rows, and without some columns of
    /// others.
    package mutating func absorb(
        _ upper: TableChanges, except excluded: Set<Int64>, columns: [Int64: ColumnMask],
        addsCounts: Bool = true
    ) {
        for slot in 0..<upper.count where !excluded.contains(upper.keys[slot]) {
            let (key, entity) = (upper.keys[slot], upper.entities[slot])
            switch upper.states[slot] {
            case .dropped:
                // Changes of layers above to an object that was never saved are void.
                if self.slot(of: key) == nil { append(upper, slot) }
                delete(key, entity: entity)
            case .deleted: delete(key, entity: entity)
            case .inserted:
                insert(
                    key, upper.values[slot * width..<(slot + 1) * width],
                    changed: upper.masks[slot], entity: entity)
            case .updated:
                if state(of: key)?.isDeletion == true { continue }
                for column in upper.masks[slot].columns
                where columns[key]?.contains(column) != true {
                    set(column, of: upper, slot, addsCounts: addsCounts)
                }
            }
        }
    }

    // MARK: Parts

    /// Returns the changes of this level that are in kept ones, and removes them from those.
    func taking(from kept: inout TableChanges) -> TableChanges {
        var taken = TableChanges(width: width)
        for slot in 0..<count where states[slot] != .dropped {
            guard let other = kept.slot(of: keys[slot]) else { continue }
            if kept.states[other] != .updated {
                taken.append(self, slot)
                continue
            }
            for column in kept.masks[other].columns where hasValue(slot, column) {
                taken.set(
                    kept.value(other, column), column, of: keys[slot], entity: entities[slot],
                    base: kept.base(other, column), isClearing: kept.isCleared(other, column),
                    isCounting: kept.isCounted(other, column))
                kept.masks[other].remove(column)
            }
        }
        return taken
    }

    // MARK: Slots

    private mutating func append(_ key: Int64, _ state: RowState, _ entity: Int) {
        slots[key] = keys.count
        keys.append(key)
        entities.append(entity)
        states.append(state)
        masks.append(ColumnMask())
        baseRows.append(-1)
    }

    private mutating func appendUpdated(_ key: Int64, _ entity: Int) -> Int {
        append(key, .updated, entity)
        values.append(contentsOf: repeatElement(.null, count: width))
        return keys.count - 1
    }

    /// Returns a Boolean value that indicates whether a program has set a column, and not an import; `nil`
    /// if the column has no change.
    package func isEdited(_ key: Int64, _ column: Int) -> Bool? {
        guard let slot = slot(of: key), hasValue(slot, column) else { return nil }
        return isEdited(slot, column)
    }

    private func isEdited(_ slot: Int, _ column: Int) -> Bool {
        let row = baseRows[slot]
        return row >= 0 && (baseMasks[row].contains(column) || importedMasks[row].contains(column))
    }

    private mutating func setBase(
        _ base: StoredValue, _ column: Int, _ slot: Int, isImported: Bool = false
    ) {
        if baseRows[slot] < 0 {
            baseRows[slot] = baseMasks.count
            baseMasks.append(ColumnMask())
            importedMasks.append(ColumnMask())
            bases.append(contentsOf: repeatElement(.null, count: width))
        }
        let row = baseRows[slot]
        if isImported {
            importedMasks[row].insert(column)
        } else {
            importedMasks[row].remove(column)
            baseMasks[row].insert(column)
        }
        bases[row * width + column] = base
    }
}

// MARK: References

extension TableChanges {
    /// Returns the keys of changed rows whose changed column refers to a key.
    package mutating func references(to key: Int64, _ column: Int) -> [Int64] {
        if keys.isEmpty { return [] }
        if references[column] == nil {
            references[column] = ReferenceIndex()
            for slot in keys.indices { addReference(column, slot) }
        }
        return references[column]?.slots(of: key).map { keys[$0] } ?? []
    }

    private func reference(_ column: Int, _ slot: Int) -> Int64? {
        guard hasValue(slot, column), !states[slot].isDeletion,
            case .integer(let key) = values[slot * width + column]
        else { return nil }
        return key
    }

    private mutating func addReference(_ column: Int, _ slot: Int) {
        guard let key = reference(column, slot) else { return }
        references[column]?.add(slot, to: key)
    }

    private mutating func removeReference(_ column: Int, _ slot: Int) {
        guard let key = reference(column, slot) else { return }
        references[column]?.remove(slot, from: key)
    }
}
