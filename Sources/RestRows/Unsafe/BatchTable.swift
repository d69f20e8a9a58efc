// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDBSQLite
package import RestDocument

/// The rows of a batch as a table of SQLite, which statements join with the stored rows.
///
/// SQLite looks the rows up and passes the stored values to ``compare(_:_:)``, so that no value of an
/// unchanged row leaves SQLite.
///
/// Invariant: a table is local to one import, which no two threads use at once. SQLite calls it only while a
/// statement of its own runs, and no function of this class runs one. So accesses cannot overlap.
@safe
package final class BatchTable {
    /// The document of the texts; `nil` if no value is a node of one.
    private let document: DocumentStorage?
    private let width: Int
    private let cells: [BatchCell]
    /// The values that a cell cannot hold.
    private let others: [StoredValue]
    /// The columns whose values SQLite reads: those of the identity, or all of new rows.
    private let passedColumns: [Int]
    /// The rows that a statement visits, in this order.
    let rows: [Int]
    /// The keys of these rows; empty if they are not known.
    private let keys: [Int64]
    /// The references whose positions depend on them.
    private let places: [PlaceColumns]
    /// The columns that any of the rows assigns, which a statement passes to ``compare(_:_:)``.
    package let comparedColumns: [Int]

    @exclusivity(unchecked) private var foundMatches: [(row: Int, key: Int64)] = []
    @exclusivity(unchecked) private var masks: [ColumnMask]
    @exclusivity(unchecked) private var foundMoves: [Int] = []
    @exclusivity(unchecked) private var comparedLists = BatchLists()
    @exclusivity(unchecked) private var lastPosition = 0

    /// The maximum number of columns whose values SQLite reads: those of an identity, or of new rows.
    package static let maximumPassedCount = 126
    /// The maximum number of columns to compare; SQLite limits the arguments of a function to 127.
    package static let maximumComparedCount = 125

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - document: The document of the texts.
    ///   - width: The number of columns of a row.
    ///   - cells: The values of all rows.
    ///   - others: The values that a cell cannot hold.
    ///   - masks: The columns that each row assigns.
    ///   - identity: The columns of the identity, at most ``maximumPassedCount``.
    ///   - rows: The rows to visit.
    ///   - keys: Their keys; empty if they are not known.
    ///   - places: The references with positions.
    package init(
        of document: DocumentStorage?, width: Int, _ cells: [BatchCell], _ others: [StoredValue],
        masks: [ColumnMask] = [], identity: [Int] = [], rows: [Int], keys: [Int64] = [],
        places: [PlaceColumns] = []
    ) {
        self.document = document
        self.width = width
        self.cells = cells
        self.others = others
        unsafe self.masks = masks
        passedColumns = identity
        self.rows = rows
        self.keys = keys
        self.places = places
        var assigned = ColumnMask()
        if !masks.isEmpty { for row in rows { assigned.formUnion(masks[row]) } }
        comparedColumns = assigned.columns
    }

    /// Creates a table of the owners of lists.
    ///
    /// - Parameters:
    ///   - lists: The lists.
    ///   - owners: The indices of the lists to compare.
    ///   - keys: The keys of their owners.
    package convenience init(_ lists: BatchLists, of owners: [Int], keys: [Int64]) {
        self.init(of: nil, width: 0, [], [], rows: owners, keys: keys)
        unsafe comparedLists = lists
    }

    /// Creates a table of identities of one value each, in place of rows of a batch.
    package convenience init(identities: [StoredValue]) {
        self.init(
            of: nil, width: 1,
            identities.indices.map { BatchCell(kind: .other, bits: UInt64($0)) }, identities,
            identity: [0], rows: Array(identities.indices))
    }

    /// Creates a table of new rows, which SQLite inserts.
    ///
    /// - Parameters:
    ///   - rows: The rows to insert.
    ///   - keys: Their keys.
    ///   - values: The values of all rows.
    ///   - width: The number of columns of a row, at most ``maximumPassedCount``.
    package convenience init(
        inserting rows: [Int], keys: [Int64], _ values: [StoredValue], width: Int
    ) {
        self.init(
            of: nil, width: width,
            values.indices.map { BatchCell(kind: .other, bits: UInt64($0)) }, values,
            identity: Array(0..<width), rows: rows, keys: keys)
    }

    // MARK: Columns

    func key(at position: Int) -> Int64 {
        unsafe lastPosition = position
        return keys[position]
    }

    /// The row whose key SQLite has read last, which is the one that it could not insert.
    package var lastRow: Int { unsafe rows[lastPosition] }

    /// Passes a value to SQLite.
    ///
    /// Text of the document is not copied: the table retains the document, and the caller of the statement
    /// the table.
    func pass(_ component: Int, at position: Int, to context: OpaquePointer?) {
        guard component < passedColumns.count else {
            return unsafe sqlite3_result_null(context)
        }
        let cell = cells[rows[position] &* width &+ passedColumns[component]]
        switch cell.kind {
        case .null: unsafe sqlite3_result_null(context)
        case .integer: unsafe sqlite3_result_int64(context, Int64(bitPattern: cell.bits))
        case .double: unsafe sqlite3_result_double(context, Double(bitPattern: cell.bits))
        case .text:
            let view = text(cell)
            if view.kind == .string {
                let bytes = unsafe UnsafeBufferPointer(
                    start: view.contentPointer, count: view.contentLength)
                unsafe Self.pass(bytes, to: context, nil)
            } else {
                unsafe Self.pass(view.string() ?? "", to: context)
            }
        case .other:
            switch others[Int(cell.bits)] {
            case .text(let text): unsafe Self.pass(text, to: context)
            case .data(let data):
                unsafe data.withUnsafeBytes { bytes in
                    unsafe sqlite3_result_blob64(
                        context, bytes.baseAddress, UInt64(bytes.count), copyingDestructor)
                }
            case .integer(let value): unsafe sqlite3_result_int64(context, value)
            case .double(let value): unsafe sqlite3_result_double(context, value)
            case .null: unsafe sqlite3_result_null(context)
            }
        }
    }

    private static func pass(_ text: String, to context: OpaquePointer?) {
        var text = text
        text.withUTF8 { unsafe pass($0, to: context, copyingDestructor) }
    }

    private static func pass(
        _ text: UnsafeBufferPointer<UInt8>, to context: OpaquePointer?,
        _ destructor: sqlite3_destructor_type?
    ) {
        guard let start = text.baseAddress, text.count > 0 else {
            return unsafe sqlite3_result_text64(
                context, "", 0, copyingDestructor, UInt8(SQLITE_UTF8))
        }
        // Invariant: both types are one byte.
        unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) {
            unsafe sqlite3_result_text64(
                context, $0, UInt64(text.count), destructor, UInt8(SQLITE_UTF8))
        }
    }

    /// Returns the node of a text; a cell of text is only made of nodes of the document.
    @inline(__always)
    private func text(_ cell: BatchCell) -> NodeView {
        guard let document else { preconditionFailure("a text is of no document") }
        return document.view(at: Int(cell.bits))
    }

    // MARK: Results

    /// The keys of the stored rows that have the identity of a row.
    package var matches: [(row: Int, key: Int64)] { unsafe foundMatches }

    /// The compared rows whose owner differs and whose position is not assigned, which keep all columns.
    package var movedRows: [Int] { unsafe foundMoves }

    /// The lists, compared with the stored ones.
    package var lists: BatchLists { unsafe comparedLists }

    /// Removes and returns the columns that each row assigns; of a compared row those that differ.
    package func takeMasks() -> [ColumnMask] {
        let taken = unsafe masks
        unsafe masks = []
        return taken
    }

    /// Records that a stored row has the identity of a row.
    func match(_ position: Int, _ key: Int64) { unsafe foundMatches.append((rows[position], key)) }

    /// Removes the columns whose stored values are those of a row from the columns that the row assigns.
    ///
    /// - Parameters:
    ///   - position: The position of the row.
    ///   - values: The stored values of ``comparedColumns``.
    func compare(_ position: Int, _ values: UnsafeMutablePointer<OpaquePointer?>) {
        let row = rows[position]
        let mask = unsafe masks[row]
        var changed = ColumnMask()
        for index in 0..<comparedColumns.count {
            let column = comparedColumns[index]
            guard mask.contains(column) else { continue }
            let value = unsafe PassedValue(pointer: values[index])
            if !equals(value, cells[row &* width &+ column]) { changed.insert(column) }
        }
        for place in places
        where changed.contains(place.owner) && !mask.contains(place.position) {
            return unsafe foundMoves.append(row)
        }
        unsafe masks[row] = changed
    }

    /// Compares a stored destination with those of a list.
    func compareMember(_ position: Int, _ key: Int64, at place: Int64?) {
        unsafe comparedLists.compare(key, at: place, in: rows[position])
    }

    @inline(__always)
    private func equals(_ value: PassedValue, _ cell: BatchCell) -> Bool {
        switch cell.kind {
        case .null: value.isNull
        case .integer: value.integer == Int64(bitPattern: cell.bits)
        case .double: value.double == Double(bitPattern: cell.bits)
        case .text: unsafe value.text.map { unsafe text(cell).isText($0) } ?? false
        case .other: value.equals(others[Int(cell.bits)])
        }
    }
}

/// A value that SQLite passes to a function.
///
/// Invariant: the pointer is that of an argument and used only inside of the function.
@safe
private struct PassedValue {
    let pointer: OpaquePointer?

    private var type: Int32 { unsafe sqlite3_value_type(pointer) }
    var isNull: Bool { type == SQLITE_NULL }

    var integer: Int64? { unsafe type == SQLITE_INTEGER ? sqlite3_value_int64(pointer) : nil }
    var double: Double? { unsafe type == SQLITE_FLOAT ? sqlite3_value_double(pointer) : nil }

    /// The text in the memory of SQLite.
    var text: UnsafeBufferPointer<UInt8>? {
        guard type == SQLITE_TEXT, let start = unsafe sqlite3_value_text(pointer) else {
            return nil
        }
        return unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    func equals(_ value: StoredValue) -> Bool {
        switch value {
        case .null: return isNull
        case .integer(let value): return integer == value
        case .double(let value): return double == value
        case .text(var value):
            guard let text = unsafe text else { return false }
            return value.withUTF8 { bytes in
                unsafe Self.areEqual(
                    UnsafeRawBufferPointer(bytes), UnsafeRawBufferPointer(text))
            }
        case .data(let value):
            guard type == SQLITE_BLOB else { return false }
            let start = unsafe sqlite3_value_blob(pointer)
            let stored = unsafe UnsafeRawBufferPointer(
                start: start, count: Int(sqlite3_value_bytes(pointer)))
            return unsafe value.withUnsafeBytes { unsafe Self.areEqual($0, stored) }
        }
    }

    private static func areEqual(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        guard left.count == right.count else { return false }
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return unsafe memcmp(start, other, left.count) == 0
    }
}
