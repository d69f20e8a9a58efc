// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The rows of an entity, stored in one array.
///
/// Text of the document is a reference to its node until a row needs it, so that an unchanged row copies
/// none.
final class EntityBatch {
    let layout: EntityLayout
    let identity: [Int]
    /// The document of the texts; `nil` if no value is a node of one.
    private let document: DocumentStorage?
    /// The node of each row.
    let nodes = BatchArray<Int>()
    private let cells = BatchArray<BatchCell>()
    /// The values that a cell cannot hold.
    private let others: BatchArray<StoredValue>
    /// The cells of a new row.
    private let defaults: [BatchCell]
    /// The columns that each row assigns.
    let masks = BatchArray<ColumnMask>()
    let isDropped = BatchArray<Bool>()
    /// For each row, whether the policy drops the object if it cannot be created.
    let isDroppable = BatchArray<Bool>()

    init(_ layout: EntityLayout, identity: [Int], of document: DocumentStorage? = nil) {
        self.layout = layout
        self.identity = identity
        self.document = document
        let others = BatchArray<StoredValue>()
        defaults = layout.defaults.map { BatchCell($0, others) }
        self.others = others
    }

    var count: Int { nodes.count }

    func append(node: Int, isDroppable: Bool) -> Int {
        nodes.append(node)
        cells.append(contentsOf: defaults)
        masks.append(ColumnMask())
        isDropped.append(false)
        self.isDroppable.append(isDroppable)
        return nodes.count - 1
    }

    func drop(from node: Int) {
        var row = count - 1
        while row >= 0, nodes[row] >= node {
            isDropped[row] = true
            row -= 1
        }
    }

    // MARK: Values

    /// Sets a column to a value of the document that needs no conversion, or to one that has been converted.
    func set(_ value: StoredValue, _ column: Int, of row: Int) {
        setCell(BatchCell(value, others), column, of: row)
        var mask = masks[row]
        mask.insert(column)
        masks[row] = mask
    }

    /// Sets a value of a column without adding the column to the mask of the row.
    @inline(__always)
    func setCell(_ cell: BatchCell, _ column: Int, of row: Int) {
        cells[row &* layout.width &+ column] = cell
    }

    /// Sets a value of a column without adding the column to the mask of the row.
    func setCell(_ value: StoredValue, _ column: Int, of row: Int) {
        setCell(BatchCell(value, others), column, of: row)
    }

    /// Removes a column from those that a row assigns.
    func unset(_ column: Int, of row: Int) {
        var mask = masks[row]
        mask.remove(column)
        masks[row] = mask
    }

    func value(_ row: Int, _ column: Int) -> StoredValue {
        value(of: cells[row * layout.width + column])
    }

    /// The values of the columns of a row.
    func values(_ row: Int) -> [StoredValue] {
        cells[row * layout.width..<(row + 1) * layout.width].map { value(of: $0) }
    }

    private func value(of cell: BatchCell) -> StoredValue {
        switch cell.kind {
        case .null: .null
        case .integer: .integer(Int64(bitPattern: cell.bits))
        case .double: .double(Double(bitPattern: cell.bits))
        case .text: .text(text(cell).string() ?? "")
        case .other: others[Int(cell.bits)]
        }
    }

    /// Returns the node of a text; a cell of text is only made of nodes of the document.
    @inline(__always)
    private func text(_ cell: BatchCell) -> NodeView {
        guard let document else { preconditionFailure("a text is of no document") }
        return document.view(at: Int(cell.bits))
    }

    /// Returns the integer in a column; `nil` for another value.
    @inline(__always)
    func integer(_ row: Int, _ column: Int) -> Int64? {
        let cell = cells[row &* layout.width &+ column]
        return cell.kind == .integer ? Int64(bitPattern: cell.bits) : nil
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        switch cells[row * layout.width + column].kind {
        case .null: true
        case .other: value(row, column).isNull
        default: false
        }
    }

    // MARK: Comparing

    /// Returns a table of rows that are searched for by their identities.
    func table(of rows: [Int]) -> BatchTable {
        BatchTable(
            of: document, width: layout.width, cells.all, others.all, identity: identity,
            rows: rows)
    }

    /// Calls a closure with a table of rows that are compared with stored rows, and then keeps the columns
    /// that differ.
    ///
    /// - Returns: The rows that were left alone: those that have another owner and no position, or all of them
    ///   if they assign too many columns.
    func compare(
        _ rows: [Int], keys: [Int64], _ body: (BatchTable) throws(PersistenceError) -> Void
    ) throws(PersistenceError) -> [Int] {
        let table = BatchTable(
            of: document, width: layout.width, cells.all, others.all, masks: masks.removeAll(),
            rows: rows, keys: keys, places: layout.table.places)
        // The columns belong to the table alone meanwhile, so that none are copied.
        defer { masks.replaceAll(by: table.takeMasks()) }
        if table.comparedColumns.count > BatchTable.maximumComparedCount { return rows }
        try body(table)
        return table.movedRows
    }

    /// Returns a Boolean value that indicates whether a row assigns one column and not another.
    func assigns(_ column: Int, without other: Int, to row: Int) -> Bool {
        masks[row].contains(column) && !masks[row].contains(other)
    }

    /// Replaces the values of a row by those that a later row of the same object has.
    ///
    /// The later row is not used again.
    func moveValues(of later: Int, to row: Int) {
        let mask = masks[later]
        let (source, destination) = (later &* layout.width, row &* layout.width)
        for column in 0..<layout.width where mask.contains(column) {
            cells[destination &+ column] = cells[source &+ column]
        }
        masks[row] = masks[row].union(mask)
    }
}

extension BatchCell {
    /// Creates the cell of a value, which is added to the others if a cell cannot hold it.
    init(_ value: StoredValue, _ others: BatchArray<StoredValue>) {
        switch value {
        case .null: self = .null
        case .integer(let value): self.init(kind: .integer, bits: UInt64(bitPattern: value))
        case .double(let value): self.init(kind: .double, bits: value.bitPattern)
        case .text, .data:
            self.init(kind: .other, bits: UInt64(others.count))
            others.append(value)
        }
    }
}
