// SPDX-License-Identifier: Apache-2.0

/// The changed columns of rows that an unsaved import has set.
package struct RecordedWrite: Sendable {
    /// A row that the import has set.
    struct Row: Sendable {
        /// The columns that the import has set.
        var columns: ColumnMask
        /// A Boolean value that indicates whether the import has inserted the row.
        var isInserted: Bool
    }

    let origin: ResponseWrite
    /// The rows that the import has set, by key.
    private(set) var rows: [Int64: Row] = [:]

    package init(origin: ResponseWrite) { self.origin = origin }

    /// A Boolean value that indicates whether the import has set nothing.
    package var isEmpty: Bool { rows.isEmpty }

    /// Prepares the write for a number of rows.
    package mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

    /// Adds a row, or columns of one.
    package mutating func add(_ key: Int64, _ mask: ColumnMask, isInserted: Bool) {
        let added = Row(columns: mask, isInserted: isInserted)
        guard let known = rows.updateValue(added, forKey: key) else { return }
        rows[key] = Row(
            columns: known.columns.union(mask), isInserted: known.isInserted || isInserted)
    }

    /// Returns whether the import has inserted a row.
    package func hasInserted(_ key: Int64) -> Bool { rows[key]?.isInserted == true }

    /// Returns the write with other keys; a new row whose key is replaced was not inserted.
    func replacing(_ keys: KeyReplacements) -> RecordedWrite {
        var replaced = RecordedWrite(origin: origin)
        for (key, row) in rows {
            replaced.add(
                keys[key], row.columns, isInserted: row.isInserted && keys[key] == key)
        }
        return replaced
    }
}
