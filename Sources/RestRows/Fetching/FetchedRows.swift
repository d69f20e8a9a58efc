// SPDX-License-Identifier: Apache-2.0

/// The rows of a fetch, in blocks that are allocated at once.
package struct FetchedRows {
    /// Rows of the same allocation, which lives as long as any of them does.
    private struct Block {
        static let size = 64

        var keys: [Int64] = []
        var values: [StoredValue] = []

        init(width: Int) {
            keys.reserveCapacity(Self.size)
            values.reserveCapacity(Self.size * width)
        }
    }

    private let width: Int
    private var blocks: [Block] = []
    package private(set) var count = 0

    package init(width: Int) { self.width = width }

    /// Adds the remaining rows of a statement, whose first column is the key.
    package mutating func append(_ statement: borrowing PreparedStatement) throws(PersistenceError)
    {
        var block = Block(width: width)
        while try statement.step() {
            if block.keys.count == Block.size {
                blocks.append(block)
                block = Block(width: width)
            }
            block.keys.append(statement.integer(0))
            for column in 0..<width { block.values.append(statement.value(column + 1)) }
            count += 1
        }
        if !block.keys.isEmpty { blocks.append(block) }
    }
}

extension FetchedRows: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let rows: FetchedRows
        private var block = 0
        private var row = 0

        fileprivate init(_ rows: FetchedRows) { self.rows = rows }

        package mutating func next() -> (key: Int64, values: RowValues)? {
            guard block < rows.blocks.count else { return nil }
            let key = rows.blocks[block].keys[row]
            let values = RowValues(rows.blocks[block].values, row: row, width: rows.width)
            row += 1
            if row == rows.blocks[block].keys.count { (block, row) = (block + 1, 0) }
            return (key, values)
        }
    }

    package var underestimatedCount: Int { count }

    package func makeIterator() -> Iterator { Iterator(self) }
}
