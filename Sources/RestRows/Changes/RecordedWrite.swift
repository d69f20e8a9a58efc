// SPDX-License-Identifier: Apache-2.0

/// The changed columns of rows that an unsaved import has set.
package struct RecordedWrite: Sendable {
    let origin: ResponseWrite
    /// The columns that the import has set, by the key of the row.
    package private(set) var columns: [Int64: ColumnMask] = [:]
    /// The keys of the rows that the import has inserted.
    package private(set) var inserted: Set<Int64> = []

    package init(origin: ResponseWrite) { self.origin = origin }

    /// Adds a row, or columns of one.
    package mutating func add(_ key: Int64, _ mask: ColumnMask, isInserted: Bool) {
        columns[key, default: ColumnMask()].formUnion(mask)
        if isInserted { inserted.insert(key) }
    }

    /// Returns the write with other keys; a new row whose key is replaced was not inserted.
    func replacing(_ keys: KeyReplacements) -> RecordedWrite {
        var replaced = RecordedWrite(origin: origin)
        for (key, mask) in columns {
            let isInserted = inserted.contains(key) && keys[key] == key
            replaced.add(keys[key], mask, isInserted: isInserted)
        }
        return replaced
    }
}
