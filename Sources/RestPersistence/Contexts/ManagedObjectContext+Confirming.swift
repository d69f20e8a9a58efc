// SPDX-License-Identifier: Apache-2.0

/// Edits to values that others save as well.
extension ManagedObjectContext {
    /// Replaces the base of an edit by an equal value that others have set, before the edit changes.
    ///
    /// Such an edit is no longer one. Setting the property back to the value before it is a new edit, and
    /// not the end of the first one.
    func confirmEdit(of key: Int64, _ column: Int, _ layout: EntityLayout) {
        let table = layout.table.index
        guard layered.layers.rowsChangedBelow[table]?.contains(key) == true else { return }
        let changes = layered.layers.top.tables[table]
        guard let slot = changes.slot(of: key), changes.states[slot] == .updated,
            changes.hasValue(slot, column), let base = changes.base(slot, column)
        else { return }
        do throws(PersistenceError) {
            guard let row = try rowBelow(key, layout) else { return }
            let merge = mergePolicy.merge(
                base: base, mine: changes.value(slot, column), theirs: row[column],
                as: changes.isCounted(slot, column) ? .count : .value)
            if merge == .agreement {
                layered.layers.top.update(table) { $0.rebase(key, column, on: row[column]) }
            }
        } catch {
            errors.note(error)
        }
    }

    /// Ends an edit whose property has the value again that it had before, so that it follows the store.
    ///
    /// The edit stays if others have changed the property since, which is a conflict, and while a request is in
    /// progress that has sent another value: the server then has that one.
    func endEditSetBack(of key: Int64, _ column: Int, _ layout: EntityLayout) {
        let table = layout.table.index
        guard let value = layered.layers.top.tables[table].changedValue(key, column),
            !root.requests.sent.haveSentOther(than: value, column, of: key, table)
        else { return }
        if layered.layers.rowsChangedBelow[table]?.contains(key) == true {
            do throws(PersistenceError) {
                guard let row = try rowBelow(key, layout), row[column] == value else { return }
            } catch {
                errors.note(error)
                return
            }
        }
        update(table, key) { $0.removeEdit(key, column) }
    }
}
