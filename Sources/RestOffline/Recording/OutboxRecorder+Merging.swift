// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestOutbox
import RestPersistence
import RestTransport

extension OutboxRecorder {
    func merge(_ save: inout ObservedSave, in database: Database) throws(PersistenceError) {
        let tables = tables(database)
        let action = save.action as? any OutboxAction
        let older = try olderImages(save, except: action, in: database)
        for (key, table) in older {
            save.staleKeys.append(key)
            if action == nil, try !tables.edited([key]).contains(key) {
                save.changes.update(table) { $0.forget(key) }
            }
        }
        if action == nil, try !tables.hasObjects { return }
        let kept = try replaceKeys(save.replacedKeys, in: tables)
        let candidates = candidates(save)
        let edited = candidates.isEmpty ? [] : try tables.edited(candidates)
        if edited.isEmpty, action == nil { return }
        let object = action?.object.map { object in
            EditedObject(
                entity: object.entity, key: save.replacedKeys[object.key] ?? object.key)
        }
        var keys = edited
        if let object { keys.insert(object.key) }
        keys.formUnion(action?.companions ?? [])
        if let object, action?.concernsOthers == true {
            keys.formUnion(try tables.mentioning([object.key]))
        }
        if let object, action?.concernsConnected == true {
            keys.formUnion(try tables.connected(to: [object.key]))
        }
        // A forked object must not go back to a deleted one.
        if rules.hasForks { keys.formUnion(try tables.connected(to: keys)) }
        var loaded = try tables.load(keys)
        let taken = try tables.takeValues(ofReplaced: save.replacedKeys, keeping: kept, &loaded)
        for (key, properties) in taken {
            guard let other = loaded.objects.keys.first(where: { $0.key == key }),
                let image = image(of: other, loaded, save)
            else { continue }
            // What the other row has is older than the response.
            let newer = image.values.filter { properties.contains($0.key) }
            loaded.objects[other]?.local?.merge(newer) { $1 }
        }
        var queue = rules.queue(loaded, next: try tables.next)
        keepRows(edited, &save)
        for other in loaded.objects.keys where edited.contains(other.key) {
            if action?.takesImage == true, other == object { continue }
            if let table = older[other.key] {
                save.changes.update(table) { $0.forget(other.key) }
                queue.ignoreImage(of: other)
                continue
            }
            guard let image = image(of: other, loaded, save) else { continue }
            let version = image.version ?? (other == object ? action?.version : nil)
            queue.take(image.values, of: other, version: version)
        }
        if let action {
            let image = object.flatMap { self.image(of: $0, loaded, save) }
            let context = ActionContext(
                object: object, image: image, tables: tables, date: clock.date,
                random: rules.random, timing: rules.timing)
            try action.perform(&queue, context)
            if let object { try keepUsedRow(of: object, &queue, since: loaded, in: tables) }
        }
        try write(queue, loaded, &save, in: tables)
        try insert(forksOf: &queue, loaded, &save, in: tables)
        try note(queue.merges, queue, in: tables)
        save.acknowledged = try acknowledgedValues(since: loaded, queue, in: tables)
        try tables.store(queue, since: loaded, at: clock.date)
        files.noteEnds(of: loaded, queue)
        if let object, let problem = (action as? AnswerAction)?.problem {
            try tables.setProblem(problem, of: object)
        }
    }

    /// Gives the edits of objects to the rows that take over their rows.
    ///
    /// - Returns: The names of the properties that the program has edited in the other row, by its key.
    private func replaceKeys(
        _ keys: [Int64: Int64], in tables: OutboxTables
    ) throws(PersistenceError) -> [Int64: Set<String>] {
        var kept: [Int64: Set<String>] = [:]
        for (former, key) in keys {
            let loaded = try tables.load([former, key])
            let objects = loaded.objects.keys
            guard let object = objects.first(where: { $0.key == former }) else { continue }
            if let other = objects.first(where: { $0.key == key }) {
                var queue = rules.queue(loaded, next: try tables.next)
                queue.prepareUnion(of: object, with: other)
                try tables.store(queue, since: loaded, at: clock.date)
                kept[key] = Set((queue.objects[other]?.base ?? [:]).keys)
            }
            try tables.replace(former, by: key)
        }
        return kept
    }

    /// Returns the keys of rows that a response changes or confirms.
    private func candidates(_ save: ObservedSave) -> Set<Int64> {
        var keys = Set(save.written.keys)
        for table in rules.model.tables where save.changes.tables[table.index].count > 0 {
            let changes = save.changes.tables[table.index]
            for slot in 0..<changes.count {
                switch changes.states[slot] {
                case .updated where !changes.importedColumns(slot).isEmpty:
                    keys.insert(changes.keys[slot])
                case .deleted where save.origin != .local: keys.insert(changes.keys[slot])
                default: break
                }
            }
        }
        for (_, _, end) in rules.memberEnds {
            keys.formUnion(save.written.links[end.link]?.owners(areSources: end.isForward) ?? [])
            for (pair, change) in save.changes.links[end.link].pairs where !change.isEdit {
                keys.insert(pair.key(isSource: end.isForward))
            }
        }
        return keys
    }

    /// Keeps the rows with edits that a response or an eviction would delete.
    private func keepRows(_ edited: Set<Int64>, _ save: inout ObservedSave) {
        if save.origin == .local { return }
        for table in rules.model.tables {
            for key in edited where save.changes.tables[table.index].state(of: key) == .deleted {
                save.changes.update(table.index) { $0.forget(key) }
                save.staleKeys.append(key)
            }
        }
    }

    /// Returns what the save brings of an object; `nil` for nothing.
    private func image(
        of object: EditedObject, _ loaded: LoadedEdits, _ save: ObservedSave
    ) -> ImportedImage? {
        guard let index = rules.model.index(of: object.entity),
            let declaration = rules.declarations[object.entity]
        else { return nil }
        let layout = rules.model.layouts[index]
        let changes = save.changes.tables[layout.table.index]
        let former = save.replacedKeys.first { $0.value == object.key }?.key ?? object.key
        var mask = save.written.columns(
            of: former, among: ColumnMask(first: layout.width), in: layout.table)
        if mask.isEmpty, let slot = changes.slot(of: object.key) {
            mask = changes.importedColumns(slot)
        }
        let row = loaded.rows[object.key]
        var image = ImportedImage()
        image.values = importedMembers(of: object, layout, declaration, loaded, save)
        if mask.isEmpty, image.values.isEmpty { return nil }
        for column in mask.columns {
            let name = layout.columns[column].name
            // A value that the store has already is not among the changes.
            guard let value = changes.changedValue(object.key, column) ?? row?[column] else {
                continue
            }
            if column == layout.identity.first, !value.isNull { image.identity = value }
            if name == declaration.versionProperty {
                image.version = declaration.precondition.version(value)
            }
            if declaration.entity.properties.contains(name) { image.values[name] = value }
        }
        return image
    }

    // MARK: Rows

    /// Adds the rows that decisions change to the save.
    private func write(
        _ queue: OutboxQueue, _ loaded: LoadedEdits, _ save: inout ObservedSave,
        in tables: OutboxTables
    ) throws(PersistenceError) {
        for (object, former) in loaded.objects {
            if let local = queue.objects[object]?.local {
                try writeMembers(local, of: object, since: former.local, &save, in: tables)
            }
            guard let index = rules.model.index(of: object.entity) else { continue }
            let layout = rules.model.layouts[index]
            let table = layout.table.index
            let local = queue.objects[object]?.local
            switch (former.local, local) {
            case (nil, nil): break
            case (_?, nil):
                save.changes.update(table) { $0.delete(object.key, entity: index) }
            case (nil, let image?):
                try insert(object, image, layout, &save, in: tables)
            case (let stored?, let image?):
                for (property, value) in image {
                    guard let column = layout.column(ofProperty: property) else { continue }
                    let current =
                        save.changes.tables[table].changedValue(object.key, column)
                        ?? stored[property]
                    if current == value { continue }
                    save.staleKeys.append(object.key)
                    save.changes.update(table) {
                        $0.set(value, column, of: object.key, entity: index, base: nil)
                    }
                }
            }
        }
    }

    /// Inserts the row of an object again whose deletion is discarded.
    private func insert(
        _ object: EditedObject, _ image: ObjectImage, _ layout: EntityLayout,
        _ save: inout ObservedSave, in tables: OutboxTables
    ) throws(PersistenceError) {
        guard let deleted = try tables.deletedRow(object.key) else { return }
        var row = layout.defaults
        for (column, layout) in layout.columns.enumerated() {
            if let value = image[layout.name] ?? deleted[layout.name] { row[column] = value }
        }
        save.changes.update(layout.table.index) {
            $0.insert(object.key, row, entity: layout.index)
        }
    }

    // MARK: The fence

    func fence(
        in database: Database, except target: Int64?, sentAt date: Date?
    ) throws(PersistenceError) -> WriteFence {
        let tables = tables(database)
        var held = try acknowledgedValues(tables, except: target, sentAt: date)
        let attempts = try PreparedStatement(
            "SELECT e.key, e.entity, e.\"values\" FROM \(OutboxTables.attempts) a "
                + "JOIN \(OutboxTables.entries) e ON e.sequence = a.entry WHERE e.kind <> 'deletion' "
                + "AND e.\"values\" IS NOT NULL", in: database)
        while try attempts.step() {
            let key = attempts.integer(0)
            guard key != target,
                let index = rules.model.index(of: attempts.text(1)),
                let image = StoredImage(text: attempts.text(2))?.image
            else { continue }
            held.add(image.keys, of: key, rules.model.layouts[index])
        }
        let deletions = try PreparedStatement(
            "SELECT key, entity FROM \(OutboxTables.entries) WHERE kind = 'deletion'", in: database)
        while try deletions.step() {
            guard let index = rules.model.index(of: deletions.text(1)),
                let image = try tables.deletedRow(deletions.integer(0))
            else { continue }
            held.add(removed: image, rules.model.layouts[index])
        }
        return WriteFence(
            written: held, creations: try unansweredCreations(in: tables, except: target))
    }
}

extension OutboxTables {
    /// Gives the edits of an object the key of the row that takes over its row.
    func replace(_ former: Int64, by key: Int64) throws(PersistenceError) {
        try run(
            PreparedStatement(
                """
                UPDATE \(Self.objects) SET needs_reading = 1, quiet_until = \
                nullif(max(ifnull(\(Self.objects).quiet_until, 0), ifnull(o.quiet_until, 0)), 0) \
                FROM \(Self.objects) o WHERE \(Self.objects).key = ?2 AND o.key = ?1
                """, in: database), [.integer(former), .integer(key)])
        for table in [Self.objects, Self.bases, Self.tags] {
            try run(
                PreparedStatement(
                    "UPDATE OR IGNORE \(table) SET key = ?2 WHERE key = ?1", in: database),
                [.integer(former), .integer(key)])
            try run(
                PreparedStatement("DELETE FROM \(table) WHERE key = ?1", in: database),
                [.integer(former)])
        }
        for table in [Self.entries, Self.outcomes, Self.merges, Self.acknowledged] {
            try run(
                PreparedStatement("UPDATE \(table) SET key = ?2 WHERE key = ?1", in: database),
                [.integer(former), .integer(key)])
        }
        try replaceReferences(to: former, by: key)
    }

    private func replaceReferences(
        to former: Int64, by key: Int64
    ) throws(PersistenceError) {
        for object in try load(mentioning([former])).objects {
            let entity = object.value.entity
            for property in [String](entity.references.keys) + entity.members.keys {
                func replaced(_ value: StoredValue) -> StoredValue? {
                    if value == .integer(former) { return .integer(key) }
                    guard var members = MemberSet(value), members.keys.remove(former) != nil else {
                        return nil
                    }
                    members.keys.insert(key)
                    return members.stored
                }
                if let value = object.value.base[property], let new = replaced(value) {
                    try insert(bases: [property: new], of: object.key)
                }
                // The bytes of an attempt stay, but its values are those that the row gets with the answer.
                for var entry in object.value.entries {
                    guard let value = entry.values[property], let new = replaced(value) else {
                        continue
                    }
                    entry.values[property] = new
                    try write(entry, of: object.key, at: .distantPast)
                }
            }
        }
    }
}
