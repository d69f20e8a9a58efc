// SPDX-License-Identifier: Apache-2.0

// The changes of rows by imports and delete rules: none of them is an edit.

extension LayeredRows {
    /// Sets a column of a row, whatever the saved value is, or clears a reference because its destination was
    /// deleted.
    func set(
        _ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout,
        isClearing: Bool = false
    ) {
        layers.update(layout.table.index, key) {
            $0.set(
                value, column, of: key, entity: layout.index, base: nil, isClearing: isClearing)
        }
    }

    /// Sets a column of many rows, whatever the saved values are.
    func set(
        _ values: [(key: Int64, entity: Int, value: StoredValue)], _ column: Int,
        of table: TableLayout
    ) {
        layers.updateMany(table.index, keys: values.map(\.key)) { $0.merge(values, column) }
    }
}
