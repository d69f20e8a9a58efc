// SPDX-License-Identifier: Apache-2.0

/// The rows of a batch by identity; most identities are integers, which are hashed faster.
struct IdentityTable {
    private var integers: [Int64: Int] = [:]
    private var others: [IdentityKey: Int] = [:]

    subscript(identity: IdentityKey) -> Int? {
        get {
            if let integer = identity.integer { integers[integer] } else { others[identity] }
        }
        set {
            if let integer = identity.integer {
                integers[integer] = newValue
            } else {
                others[identity] = newValue
            }
        }
    }

    var rows: [Int] { Array(integers.values) + Array(others.values) }

    /// Returns the identities of the rows that a closure includes, integers in their order, in which an index
    /// finds them with fewer pages.
    func identities(where isIncluded: (Int) -> Bool) -> [IdentityKey] {
        integers.filter { isIncluded($0.value) }.keys.sorted()
            .map { IdentityKey(single: .integer($0)) }
            + others.compactMap { isIncluded($0.value) ? $0.key : nil }
    }
}
