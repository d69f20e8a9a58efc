// SPDX-License-Identifier: Apache-2.0

extension ChangeLayers {
    /// Notes the rows of the last change of the journal.
    func trackLastChange() {
        guard let unsavedKeys else { return }
        switch journal.last {
        case .row(let key, let table):
            if track(key, of: model.tables[table], by: unsavedKeys) {
                unsavedKeys.hasChanges = true
                return
            }
        case .pair(let pair):
            unsavedKeys.insert(pair.source)
            unsavedKeys.insert(pair.target)
        case .table(let table, let changed):
            let changes = top.tables[table]
            var keys: Set<Int64> = []
            if let changed {
                for slot in changed.compactMap(changes.slot(of:)) {
                    add(slot, of: changes, model.tables[table], to: &keys)
                }
            } else {
                add(changes, model.tables[table], to: &keys)
            }
            unsavedKeys.formUnion(keys)
        case .many: trackAllChanges()
        }
        unsavedKeys.hasChanges = hasChanges
    }

    /// Notes a row of the top layer, without a copy of the changes.
    ///
    /// - Returns: A Boolean value that indicates whether the row has an unsaved change.
    private func track(
        _ key: Int64, of table: TableLayout, by unsavedKeys: UnsavedKeys
    ) -> Bool {
        guard let slot = top.tables[table.index].slot(of: key) else { return false }
        let state = top.tables[table.index].states[slot]
        if state == .updated || state == .deleted { unsavedKeys.insert(key) }
        if state.isDeletion { return state == .deleted }
        for column in table.references where top.tables[table.index].hasValue(slot, column) {
            if case .integer(let other) = top.tables[table.index].value(slot, column) {
                unsavedKeys.insert(other)
            }
        }
        return true
    }

    /// Notes the rows of all unsaved changes.
    func trackAllChanges() {
        guard let unsavedKeys else { return }
        var keys: Set<Int64> = []
        for changes in own + [transferred] {
            for table in model.tables { add(changes.tables[table.index], table, to: &keys) }
            for link in changes.links {
                for pair in link.pairs.keys {
                    keys.insert(pair.source)
                    keys.insert(pair.target)
                }
            }
        }
        unsavedKeys.replace(by: keys)
    }

    private func add(_ changes: TableChanges, _ table: TableLayout, to keys: inout Set<Int64>) {
        for slot in 0..<changes.count { add(slot, of: changes, table, to: &keys) }
    }

    /// Adds the row of a slot if it is stored, and the rows to which it refers.
    private func add(
        _ slot: Int, of changes: TableChanges, _ table: TableLayout, to keys: inout Set<Int64>
    ) {
        let state = changes.states[slot]
        if state == .updated || state == .deleted { keys.insert(changes.keys[slot]) }
        if state.isDeletion { return }
        for column in table.references where changes.hasValue(slot, column) {
            if case .integer(let key) = changes.value(slot, column) { keys.insert(key) }
        }
    }
}
