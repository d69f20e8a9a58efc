// SPDX-License-Identifier: Apache-2.0

/// The values of a row, which can share an allocation with those of other rows.
///
/// Rows that are read together are read into one allocation, so that a row costs neither an
/// allocation nor a reference count of its own. Setting a value gives the row its own.
@usableFromInline package struct RowValues: Sendable {
    @usableFromInline var storage: [StoredValue]
    @usableFromInline let width: Int32
    @usableFromInline var start: Int32

    /// Creates the values of a row that shares them with nothing else.
    package init(_ values: [StoredValue]) {
        storage = values
        start = 0
        width = Int32(values.count)
    }

    /// Creates one of the rows of an allocation.
    init(_ block: [StoredValue], row: Int, width: Int) {
        storage = block
        start = Int32(row * width)
        self.width = Int32(width)
    }

    @inlinable package subscript(column: Int) -> StoredValue {
        get {
            precondition(column >= 0 && column < width, "the row has no such column")
            return storage[Int(start) + column]
        }
        set {
            if storage.count != width {
                storage = Array(storage[Int(start)..<Int(start + width)])
                start = 0
            }
            storage[column] = newValue
        }
    }
}

extension RowValues: RandomAccessCollection, MutableCollection {
    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { Int(width) }
}

extension RowValues: Hashable {
    @usableFromInline
    package static func == (left: RowValues, right: RowValues) -> Bool { left.elementsEqual(right) }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        for value in self { hasher.combine(value) }
    }
}
