// SPDX-License-Identifier: Apache-2.0

/// The members of a to-many relationship with a join table, as one value: their keys in ascending order.
package struct MemberSet: Sendable, Hashable {
    package var keys: Set<Int64>

    package init(_ keys: some Sequence<Int64> = []) { self.keys = Set(keys) }

    /// Creates the members of a stored value; returns `nil` if it is not a list of keys.
    package init?(_ value: StoredValue) {
        guard case .text(let text) = value, text.first == "[", text.last == "]" else { return nil }
        keys = []
        for part in text.dropFirst().dropLast().split(separator: ",") {
            guard let key = Int64(part) else { return nil }
            keys.insert(key)
        }
    }

    /// The value, which is equal for equal sets.
    package var stored: StoredValue {
        .text("[\(keys.sorted().map(String.init).joined(separator: ","))]")
    }

    /// Returns the members of others with those that an edit has added, and without those that it has removed.
    ///
    /// - Returns: The value of the members; `nil` if a value is not a set.
    package static func merging(
        base: StoredValue, mine: StoredValue, theirs: StoredValue
    ) -> StoredValue? {
        guard let base = MemberSet(base)?.keys, let mine = MemberSet(mine)?.keys,
            let theirs = MemberSet(theirs)?.keys
        else { return nil }
        return MemberSet(theirs.union(mine.subtracting(base)).subtracting(base.subtracting(mine)))
            .stored
    }
}
