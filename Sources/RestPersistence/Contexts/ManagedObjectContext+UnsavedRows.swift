// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The rows that unsaved changes of contexts concern.
///
/// A context belongs to one isolation region, so that an eviction cannot read its changes. Contexts that
/// outlast a transaction note the keys here instead: those of programs, of calls such as
/// ``ManagedObjectStore/perform(_:)``, and of bulk imports.
final class UnsavedRows: Sendable {
    private struct Entry: Sendable {
        weak let keys: UnsavedKeys?
    }

    /// The keys of each context, which releases them.
    private let entries = Mutex<[Entry]>([])

    /// Returns keys for a new context to own.
    func track() -> UnsavedKeys {
        let keys = UnsavedKeys()
        entries.withLock { entries in
            entries.removeAll { $0.keys == nil }
            entries.append(Entry(keys: keys))
        }
        return keys
    }

    /// The keys of all contexts.
    var keys: Set<Int64> {
        entries.withLock { entries in
            entries.reduce(into: []) { all, entry in
                if let keys = entry.keys { all.formUnion(keys.all) }
            }
        }
    }
}

/// The keys of the rows that the unsaved changes of a context concern, and possibly of some that they no
/// longer do.
final class UnsavedKeys: Sendable {
    private let keys = Mutex<Set<Int64>>([])

    var all: Set<Int64> { keys.withLock(\.self) }

    func insert(_ key: Int64) { keys.withLock { _ = $0.insert(key) } }

    func formUnion(_ other: Set<Int64>) { keys.withLock { $0.formUnion(other) } }

    func replace(by new: Set<Int64>) { keys.withLock { $0 = new } }
}

extension ManagedObjectContext {
    /// Notes the rows of the last change of the journal.
    func trackLastChange() {
        guard let unsavedKeys else { return }
        switch journal.last {
        case .row(let key, let table): track(key, of: model.tables[table], by: unsavedKeys)
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
    }

    /// Notes a row of the top layer, without a copy of the changes.
    private func track(_ key: Int64, of table: TableLayout, by unsavedKeys: UnsavedKeys) {
        guard let slot = top.tables[table.index].slot(of: key) else { return }
        let state = top.tables[table.index].states[slot]
        if state == .updated || state == .deleted { unsavedKeys.insert(key) }
        if state.isDeletion { return }
        for column in table.references where top.tables[table.index].hasValue(slot, column) {
            if case .integer(let other) = top.tables[table.index].value(slot, column) {
                unsavedKeys.insert(other)
            }
        }
    }

    /// Notes the rows of all unsaved changes.
    func trackAllChanges() {
        guard let unsavedKeys else { return }
        var keys: Set<Int64> = []
        for changes in [sealed, top, transferred].compactMap(\.self) {
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
