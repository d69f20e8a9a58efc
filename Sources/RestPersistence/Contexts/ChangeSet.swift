// SPDX-License-Identifier: Apache-2.0

/// The unsaved changes of a context.
struct ChangeSet: Sendable {
    private(set) var tables: [TableChanges]
    private(set) var links: [LinkChanges]

    init(model: ManagedObjectModel) {
        tables = model.tables.map { TableChanges(width: $0.width) }
        links = Array(repeating: LinkChanges(), count: model.links.count)
    }

    var isEmpty: Bool {
        tables.allSatisfy(\.isEmpty) && links.allSatisfy(\.isEmpty)
    }

    func state(of object: ManagedObject) -> RowState? {
        tables[object.layout.table.index].state(of: object.objectID.key)
    }

    mutating func set(
        _ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout
    ) {
        tables[layout.table.index].set(value, column, of: key)
    }

    mutating func insert(_ key: Int64, _ values: [StoredValue], in layout: EntityLayout) {
        tables[layout.table.index].insert(key, values)
    }

    mutating func delete(_ key: Int64, in layout: EntityLayout) {
        tables[layout.table.index].delete(key)
    }

    mutating func setLink(_ pair: LinkPair, _ link: Int, _ change: LinkChange) {
        links[link].set(pair, change)
    }

    /// Returns the keys of changed rows whose column refers to a key.
    mutating func references(to key: Int64, _ column: Int, in table: Int) -> [Int64] {
        tables[table].references(to: key, column)
    }

    mutating func removeLinks(of key: Int64, _ link: Int, isSource: Bool) {
        links[link].removePairs(of: key, isSource: isSource)
    }

    /// Calls a closure with the changes of a table, to mutate them in place.
    mutating func update<Result>(
        _ table: Int, _ body: (inout TableChanges) -> Result
    ) -> Result {
        body(&tables[table])
    }
}

/// The kind of change of a row.
enum RowState: UInt8, Sendable {
    case inserted
    case updated
    case deleted
    /// Inserted and deleted without being saved.
    case dropped
}

/// The changed rows of a table, in flat arrays.
struct TableChanges: Sendable {
    let width: Int
    private(set) var keys: [Int64] = []
    private(set) var states: [RowState] = []
    private(set) var masks: [ColumnMask] = []
    private(set) var values: [StoredValue] = []
    private var slots: [Int64: Int] = [:]
    /// The changed rows that refer to a key, by column; built lazily.
    private var references: [Int: [Int64: [Int64]]] = [:]
    private(set) var deletedCount = 0

    init(width: Int) { self.width = width }

    var isEmpty: Bool { keys.isEmpty }
    var count: Int { keys.count }

    func slot(of key: Int64) -> Int? { keys.isEmpty ? nil : slots[key] }
    func state(of key: Int64) -> RowState? { slot(of: key).map { states[$0] } }

    func isDeleted(_ key: Int64) -> Bool {
        guard let state = state(of: key) else { return false }
        return state == .deleted || state == .dropped
    }

    /// Returns a changed value, which is valid only if the slot's mask contains the column.
    func value(_ slot: Int, _ column: Int) -> StoredValue { values[slot * width + column] }

    /// Returns the layout of a slot's entity, which is the topmost one of the table if it is unknown.
    func layout(
        _ slot: Int, of table: TableLayout, in model: ManagedObjectModel
    ) -> EntityLayout {
        let layout = model.layouts[table.entities[0]]
        guard let column = table.entityColumn, case .text(let name) = value(slot, column) else {
            return layout
        }
        return model.index(of: name).map { model.layouts[$0] } ?? layout
    }

    /// Returns the changed integer of a column; `nil` if the column is unchanged or null.
    func changedInteger(_ slot: Int, _ column: Int) -> Int64? {
        guard states[slot] == .inserted || masks[slot].contains(column),
            case .integer(let value) = value(slot, column)
        else { return nil }
        return value
    }

    /// Replaces the values of a row by the changed ones.
    func overlay(_ key: Int64, on row: inout [StoredValue]) {
        guard let slot = slot(of: key) else { return }
        if states[slot] == .inserted {
            row = Array(values[slot * width..<(slot + 1) * width])
            return
        }
        for column in masks[slot].columns { row[column] = values[slot * width + column] }
    }

    mutating func reserve(_ count: Int) {
        keys.reserveCapacity(keys.count + count)
        states.reserveCapacity(keys.count + count)
        masks.reserveCapacity(keys.count + count)
        slots.reserveCapacity(keys.count + count)
        values.reserveCapacity(values.count + count * width)
    }

    mutating func insert(_ key: Int64, _ row: some Collection<StoredValue>) {
        append(key, .inserted)
        values.append(contentsOf: row)
        for column in references.keys { addReference(column, keys.count - 1) }
    }

    mutating func set(_ value: StoredValue, _ column: Int, of key: Int64) {
        let slot = slot(of: key) ?? appendUpdated(key)
        if references[column] != nil { removeReference(column, slot) }
        masks[slot].insert(column)
        values[slot * width + column] = value
        if references[column] != nil { addReference(column, slot) }
    }

    /// Sets all columns of a mask.
    mutating func merge(_ key: Int64, _ mask: ColumnMask, _ row: ArraySlice<StoredValue>) {
        let slot = slot(of: key) ?? appendUpdated(key)
        for column in references.keys where mask.contains(column) { removeReference(column, slot) }
        for column in mask.columns { values[slot * width + column] = row[row.startIndex + column] }
        masks[slot].formUnion(mask)
        for column in references.keys where mask.contains(column) { addReference(column, slot) }
    }

    mutating func delete(_ key: Int64) {
        let slot = slot(of: key) ?? appendUpdated(key)
        for column in references.keys { removeReference(column, slot) }
        states[slot] = states[slot] == .inserted ? .dropped : .deleted
        deletedCount += 1
    }

    mutating func references(to key: Int64, _ column: Int) -> [Int64] {
        if keys.isEmpty { return [] }
        if references[column] == nil {
            references[column] = [:]
            for slot in keys.indices { addReference(column, slot) }
        }
        return references[column]?[key] ?? []
    }

    private mutating func append(_ key: Int64, _ state: RowState) {
        slots[key] = keys.count
        keys.append(key)
        states.append(state)
        masks.append(ColumnMask())
    }

    private mutating func appendUpdated(_ key: Int64) -> Int {
        append(key, .updated)
        values.append(contentsOf: repeatElement(.null, count: width))
        return keys.count - 1
    }

    private func reference(_ column: Int, _ slot: Int) -> Int64? {
        guard states[slot] == .inserted || masks[slot].contains(column),
            states[slot] != .deleted, states[slot] != .dropped,
            case .integer(let key) = values[slot * width + column]
        else { return nil }
        return key
    }

    private mutating func addReference(_ column: Int, _ slot: Int) {
        guard let key = reference(column, slot) else { return }
        references[column]?[key, default: []].append(keys[slot])
    }

    private mutating func removeReference(_ column: Int, _ slot: Int) {
        guard let key = reference(column, slot) else { return }
        references[column]?[key]?.removeAll { $0 == keys[slot] }
    }
}

/// The change of a row of a join table: inserted with positions, or deleted.
struct LinkChange: Sendable, Hashable {
    static let removed = LinkChange(isMember: false)

    let isMember: Bool
    /// The position of the target among the targets of its source; `nil` for the last or no change.
    var targetPosition: Int64?
    /// The position of the source among the sources of its target; `nil` for the last or no change.
    var sourcePosition: Int64?

    init(isMember: Bool) { self.isMember = isMember }

    /// Creates a membership whose other end has a position in the list of the own one.
    init(position: Int64?, isForward: Bool) {
        isMember = true
        if isForward { targetPosition = position } else { sourcePosition = position }
    }

    /// Returns the position in the list of the owner of a relationship.
    func position(isForward: Bool) -> Int64? { isForward ? targetPosition : sourcePosition }
}

/// A row of a join table.
struct LinkPair: Sendable, Hashable {
    let source: Int64
    let target: Int64

    init(_ own: Int64, _ other: Int64, isForward: Bool) {
        source = isForward ? own : other
        target = isForward ? other : own
    }

    var reversed: LinkPair { LinkPair(target, source, isForward: true) }
}

/// The changed rows of a join table.
struct LinkChanges: Sendable {
    private(set) var pairs: [LinkPair: LinkChange] = [:]

    var isEmpty: Bool { pairs.isEmpty }

    mutating func set(_ pair: LinkPair, _ change: LinkChange) {
        // A change of one position keeps an unsaved one of the other.
        var change = change
        if change.isMember, let other = pairs[pair], other.isMember {
            change.targetPosition = change.targetPosition ?? other.targetPosition
            change.sourcePosition = change.sourcePosition ?? other.sourcePosition
        }
        pairs[pair] = change
    }

    mutating func removePairs(of key: Int64, isSource: Bool) {
        guard !pairs.isEmpty else { return }
        pairs = pairs.filter { (isSource ? $0.key.source : $0.key.target) != key }
    }
}
