// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Records that the unsaved changes of this context were imported from a response.
    ///
    /// The origin of the rows of entities that the store does not explain is not recorded.
    package func recordOrigin(_ origin: ResponseWrite) {
        let explained = database.explainedEntities
        if explained.isEmpty { return }
        var write = RecordedWrite(origin: origin)
        for table in model.tables where table.entities.contains(where: explained.contains) {
            let changes = layered.layers.top.tables[table.index]
            write.reserveCapacity(changes.count)
            for slot in 0..<changes.count where explained.contains(changes.entities[slot]) {
                let (key, state) = (changes.keys[slot], changes.states[slot])
                if state.isDeletion { continue }
                write.add(key, changes.masks[slot], isInserted: state == .inserted)
            }
        }
        if write.isEmpty { return }
        // The changes of a new row do not have the columns of its document.
        for group in layered.layers.top.imported.groups {
            for (key, mask) in group.assigned where write.hasInserted(key) {
                write.add(key, mask, isInserted: true)
            }
        }
        layered.layers.top.writes.append(write)
    }
}
