// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestOutbox
import RestPersistence
import RestTransport

/// The relationships with join tables in the saves of a store, the new objects of forks, and the merges.
extension OutboxRecorder {
    // MARK: Members

    /// Returns the members of an object that a response brings, by relationship.
    func importedMembers(
        of object: EditedObject, _ layout: EntityLayout, _ declaration: SentDeclaration,
        _ loaded: LoadedEdits, _ save: ObservedSave
    ) -> ObjectImage {
        var image: ObjectImage = [:]
        for property in declaration.entity.members.keys {
            guard let end = layout.linkEnd(ofProperty: property),
                let stored = loaded.objects[object]?.local?[property],
                let members = MemberSet(stored)
            else { continue }
            let owners = save.written.links[end.link]?.owners(areSources: end.isForward) ?? []
            let changes = save.changes.links[end.link].pairs(
                of: object.key, isSource: end.isForward
            ).filter { !$0.change.isEdit }
            if changes.isEmpty, !owners.contains(object.key) { continue }
            image[property] = members.applying(changes, isForward: end.isForward).stored
        }
        return image
    }

    /// Adds the rows of join tables that decisions change to the save.
    func writeMembers(
        _ image: ObjectImage, of object: EditedObject, since former: ObjectImage?,
        _ save: inout ObservedSave, in tables: OutboxTables
    ) throws(PersistenceError) {
        guard let entity = rules.sent.entities[object.entity], !entity.members.isEmpty,
            let index = rules.model.index(of: object.entity)
        else { return }
        let layout = rules.model.layouts[index]
        for (property, members) in entity.members {
            guard let end = layout.linkEnd(ofProperty: property),
                let wanted = image[property].flatMap(MemberSet.init)
            else { continue }
            let stored = former?[property].flatMap(MemberSet.init) ?? MemberSet()
            let current = stored.applying(
                save.changes.links[end.link].pairs(of: object.key, isSource: end.isForward),
                isForward: end.isForward)
            let removed = current.keys.subtracting(wanted.keys)
            let added = try existing(
                wanted.keys.subtracting(current.keys), members.destination, save, in: tables)
            if removed.isEmpty, added.isEmpty { continue }
            save.staleKeys.append(object.key)
            for key in removed.union(added) {
                let change = added.contains(key) ? LinkChange(isMember: true) : .removed
                let pair = LinkPair(object.key, key, isForward: end.isForward)
                save.changes.updateLink(end.link) { links in
                    links.set(pair, change)
                    if end.isSymmetric { links.set(pair.reversed, change) }
                }
            }
        }
    }

    /// Returns those of some objects that exist after the save.
    private func existing(
        _ keys: Set<Int64>, _ entity: String, _ save: ObservedSave, in tables: OutboxTables
    ) throws(PersistenceError) -> Set<Int64> {
        guard !keys.isEmpty, let index = rules.model.index(of: entity) else { return [] }
        let table = rules.model.layouts[index].table
        let stored = try tables.integers(
            "SELECT \(EntityLayout.keyColumn) FROM \(table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?1))", keys)
        let changes = save.changes.tables[table.index]
        return Set(stored.filter { !changes.isDeleted($0) })
            .union(keys.filter { changes.state(of: $0) == .inserted })
    }

    // MARK: Forks

    /// Inserts the objects whose values are edits that did not go into others.
    func insert(
        forksOf queue: inout OutboxQueue, _ loaded: LoadedEdits, _ save: inout ObservedSave,
        in tables: OutboxTables
    ) throws(PersistenceError) {
        for fork in queue.forks {
            guard let index = rules.model.index(of: fork.object.entity),
                var row = loaded.rows[fork.object.key],
                let declaration = rules.declarations[fork.object.entity]
            else { continue }
            let layout = rules.model.layouts[index]
            for (property, value) in fork.image {
                if let column = layout.column(ofProperty: property) { row[column] = value }
            }
            let version = declaration.versionProperty.flatMap { layout.column(ofProperty: $0) }
            for column in layout.identity + [version].compactMap(\.self) {
                row[column] = layout.defaults[column]
            }
            let key: Int64
            do {
                key = try StoreDatabase.reserve(1, in: tables.database).lowerBound
            } catch {
                throw PersistenceError(wrapping: error)
            }
            let object = EditedObject(entity: fork.object.entity, key: key)
            save.changes.update(layout.table.index) {
                $0.insert(key, row, entity: layout.index)
            }
            try writeMembers(fork.image, of: object, since: nil, &save, in: tables)
            queue.insert(object, fork.image, by: fork.principal)
        }
    }

    // MARK: Merges

    /// Notes merges, and the ends of entries of which nothing is left to send.
    func note(
        _ merges: [(object: EditedObject, merge: EditMerge)], _ queue: OutboxQueue,
        in tables: OutboxTables
    ) throws(PersistenceError) {
        for (object, merge) in merges {
            try tables.note(merge, of: object, at: clock.date, keeping: rules.keptMergeCount)
            let entries = queue.objects[object]?.entries ?? []
            if entries.contains(where: { $0.sequence == merge.sequence }) { continue }
            let ended = OutboxEntry(sequence: merge.sequence, kind: .update, principal: nil)
            try tables.note("merged", detail: nil, of: ended, object, at: clock.date)
        }
    }
}

extension MemberSet {
    /// Returns the members after changes of the rows of a join table.
    fileprivate func applying(
        _ changes: some Sequence<(pair: LinkPair, change: LinkChange)>, isForward: Bool
    ) -> MemberSet {
        var members = self
        for (pair, change) in changes where !change.isMove {
            let key = pair.key(isSource: !isForward)
            if change.isMember { members.keys.insert(key) } else { members.keys.remove(key) }
        }
        return members
    }
}
