// SPDX-License-Identifier: Apache-2.0

/// The rows of a batch by identity; most identities are integers.
struct IdentityTable {
    private var integers: IntegerTable
    private var others: [IdentityKey: Int] = [:]

    /// Creates a table with space for a number of rows.
    init(capacity: Int = 0) { integers = IntegerTable(capacity: capacity) }

    /// Adds a row, unless another one has the identity.
    ///
    /// - Returns: The row that has the identity.
    mutating func insert(_ identity: IdentityKey, _ row: Int) -> Int {
        if let integer = identity.integer { return insert(integer, row) }
        if let first = others[identity] { return first }
        others[identity] = row
        return row
    }

    /// Adds a row, unless another one has the integer.
    mutating func insert(_ integer: Int64, _ row: Int) -> Int { integers.insert(integer, row) }

    /// The row with an identity.
    subscript(identity: IdentityKey) -> Int? {
        identity.integer.map { integers[$0] } ?? others[identity]
    }
}
