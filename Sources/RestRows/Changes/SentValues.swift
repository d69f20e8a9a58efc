// SPDX-License-Identifier: Apache-2.0

/// The values that a request sends.
package struct SentValues: Sendable {
    /// The changes of the object's row, and those of its relationships in other tables.
    package private(set) var changes: ChangeSet
    /// The rows of join tables, by table, that the request contains and that have moved.
    ///
    /// The server has them, whatever the store has: saving inserts those that others have deleted.
    package private(set) var moved: [Int: Set<LinkPair>]
    /// The properties in which a program has set and saved other values since.
    package private(set) var savedSince = WrittenValues()

    package init(changes: ChangeSet, moved: [Int: Set<LinkPair>]) {
        self.changes = changes
        self.moved = moved
    }

    package mutating func removeValues(replacedBy saved: ChangeSet, editsOnly: Bool) {
        for table in changes.tables.indices where saved.tables[table].count > 0 {
            let (own, other) = (changes.tables[table], saved.tables[table])
            var replaced: [Int64: ColumnMask] = [:]
            var inserted: Set<Int64> = []
            for slot in 0..<own.count {
                let key = own.keys[slot]
                if own.states[slot] == .inserted {
                    // Its row has been saved as a whole.
                    if other.state(of: key) == .inserted { inserted.insert(key) }
                    continue
                }
                for column in own.masks[slot].columns {
                    guard let value = other.changedValue(key, column),
                        value != own.value(slot, column),
                        !editsOnly || other.isEdited(key, column) == true
                    else { continue }
                    replaced[key, default: ColumnMask()].insert(column)
                }
            }
            if replaced.isEmpty, inserted.isEmpty { continue }
            if editsOnly { for (key, mask) in replaced { savedSince.add(mask, of: key) } }
            changes.update(table) {
                $0 = TableChanges(width: own.width)
                $0.absorb(own, except: inserted, columns: replaced)
            }
        }
        for link in changes.links.indices {
            for (pair, change) in changes.links[link].pairs {
                guard let other = saved.links[link].pairs[pair], other != change,
                    !editsOnly || other.isEdit
                else { continue }
                if editsOnly { savedSince.add(pair, link) }
                changes.updateLink(link) { $0.remove(pair) }
                moved[link]?.remove(pair)
            }
        }
    }
}
