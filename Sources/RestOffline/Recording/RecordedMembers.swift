// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence

/// The changed members of the relationships with join tables that a save has edited.
struct RecordedMembers {
    private struct Change {
        var added: Set<Int64> = []
        var removed: Set<Int64> = []
        /// The members that were removed because the owner was deleted.
        var cleared: Set<Int64> = []
    }

    private let tables: OutboxTables
    private let rules: OutboxRules
    /// The changes by the end of the join table and by owner.
    private var changes: [LinkEnd: [Int64: Change]] = [:]

    init(_ edits: SavedEdits, _ rules: OutboxRules, _ tables: OutboxTables) {
        self.tables = tables
        self.rules = rules
        if edits.links.isEmpty { return }
        let ends = Set(rules.memberEnds.map(\.end))
        for edit in edits.links {
            for end in ends where end.link == edit.link {
                let (own, other) = (
                    edit.pair.key(isSource: end.isForward), edit.pair.key(isSource: !end.isForward)
                )
                var change = changes[end, default: [:]][own] ?? Change()
                if edit.isCleared {
                    change.cleared.insert(other)
                } else if edit.isMember {
                    if change.removed.remove(other) == nil { change.added.insert(other) }
                } else {
                    if change.added.remove(other) == nil { change.removed.insert(other) }
                }
                changes[end, default: [:]][own] = change
            }
        }
    }

    /// Adds the members before the save to the edits of their owners.
    func add(to recorded: inout RecordedChanges) throws(PersistenceError) {
        if changes.isEmpty { return }
        let inserted = Set(recorded.inserted.map(\.object.key))
        let deleted = Set(recorded.deleted.map(\.object.key))
        for (layout, property, end) in rules.memberEnds {
            guard let changes = changes[end] else { continue }
            for index in recorded.deleted.indices
            where recorded.deleted[index].object.entity == layout.name {
                guard let change = changes[recorded.deleted[index].object.key] else { continue }
                let members = change.cleared.subtracting(change.added).union(change.removed)
                recorded.deleted[index].members[property] = MemberSet(members).stored
            }
            let owners = changes.filter {
                !inserted.contains($0.key) && !deleted.contains($0.key)
                    && !($0.value.added.isEmpty && $0.value.removed.isEmpty)
            }
            let known = try existing(owners.keys.sorted(), layout)
            let current = try tables.members(property, of: known, layout)
            for key in known {
                guard let change = owners[key] else { continue }
                let former = (current[key] ?? []).subtracting(change.added)
                    .union(change.removed).union(change.cleared)
                recorded.add(
                    [property: MemberSet(former).stored],
                    of: EditedObject(entity: layout.name, key: key), layout)
            }
        }
    }

    /// Returns those of some keys whose rows have the entity.
    private func existing(
        _ keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64] {
        guard !keys.isEmpty, let column = layout.table.entityColumn else { return keys }
        let name = layout.name.replacing("'", with: "''")
        return try tables.integers(
            "SELECT \(EntityLayout.keyColumn) FROM \(layout.table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?1)) "
                + "AND \(layout.table.columns[column].quoted) = '\(name)'", keys)
    }
}

extension OutboxRules {
    /// The relationships with join tables that are sent.
    var memberEnds: [(layout: EntityLayout, property: String, end: LinkEnd)] {
        sent.entities.values.flatMap { entity -> [(EntityLayout, String, LinkEnd)] in
            guard !entity.members.isEmpty, let index = model.index(of: entity.name) else {
                return []
            }
            let layout = model.layouts[index]
            return entity.members.keys.compactMap { property in
                layout.linkEnd(ofProperty: property).map { (layout, property, $0) }
            }
        }
    }
}
