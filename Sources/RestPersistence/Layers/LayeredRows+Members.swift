// SPDX-License-Identifier: Apache-2.0

// The destinations of relationships with unsaved changes.

extension LayeredRows {
    /// A destination of a relationship and its position, which is `nil` for the last.
    struct Member {
        let key: Int64
        let position: Int64?
    }

    /// Returns the keys of the destinations of a relationship by source, with unsaved changes.
    func members(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        if case .column(let column) = relationship.storage {
            let table = model.layouts[relationship.destination].table
            return try destinations(of: keys, column, in: layout).filter {
                !layers.isDeleted($0.value, table.index)
            }.mapValues { [$0] }
        }
        var members: [Int64: [Int64]] = [:]
        let saved = keys.filter { layers.state(of: $0, layout.table.index) != .inserted }
        let stored = try storedMembers(of: saved, relationship)
        for key in keys {
            let list = try overlaid(stored[key] ?? [], of: key, relationship)
            if !list.isEmpty { members[key] = list.map(\.key) }
        }
        return members
    }

    /// Returns the values of a column that refers to other rows by key, with unsaved changes; no other column is
    /// read.
    private func destinations(
        of keys: [Int64], _ column: Int, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: Int64] {
        let table = layout.table
        var destinations: [Int64: Int64] = [:]
        var stored: [Int64] = []
        for key in keys {
            switch layers.state(of: key, table.index) {
            case .inserted:
                if case .integer(let value)? = layers.changedValue(key, column, table.index) {
                    destinations[key] = value
                }
            case .deleted, .dropped: break
            case .updated, nil: stored.append(key)
            }
        }
        let query = RowQuery.values(of: column, in: table, keys: stored)
        if query.isEmpty { return destinations }
        try read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() {
                let key = statement.integer(0)
                let value = layers.changedValue(key, column, table.index) ?? statement.value(1)
                if case .integer(let destination) = value { destinations[key] = destination }
            }
        }
        return destinations
    }

    /// Returns the destinations of a to-many relationship of saved sources, in order and with their
    /// positions, with unsaved changes.
    func orderedMembers(
        of keys: [Int64], _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Int64: [Member]] {
        let stored = try storedMembers(of: keys, relationship)
        var members: [Int64: [Member]] = [:]
        for key in keys { members[key] = try overlaid(stored[key] ?? [], of: key, relationship) }
        return members
    }

    /// Returns the destinations of a relationship by source, as the store has them.
    func storedMembers(
        of keys: [Int64], _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Int64: [Member]] {
        let query: RowQuery
        switch relationship.storage {
        case .column: return [:]
        case .inverseColumn(let column, let position):
            query = RowQuery.members(
                of: model.layouts[relationship.destination].table, column: column,
                position: position, keys: keys)
        case .link(let index, let isForward):
            query = RowQuery.pairs(
                of: model.links[index], keys: keys, isForward,
                isOrdered: relationship.isOrdered)
        }
        if query.isEmpty { return [:] }
        var members: [Int64: [Member]] = [:]
        try read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() {
                var position: Int64?
                if case .integer(let value) = statement.value(2) { position = value }
                members[statement.integer(0), default: []].append(
                    Member(key: statement.integer(1), position: position))
            }
        }
        return members
    }

    /// Returns destinations with unsaved changes.
    ///
    /// They are in the order of their positions, or of their keys if the relationship has no order.
    func overlaid(
        _ stored: [Member], of key: Int64, _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Member] {
        let table = model.layouts[relationship.destination].table.index
        var members: [Member] = []
        members.reserveCapacity(stored.count)
        switch relationship.storage {
        case .column: return stored
        case .inverseColumn(let column, let position):
            for member in stored where !layers.isDeleted(member.key, table) {
                if layers.changedValue(member.key, column, table) != nil { continue }
                let changed = position.flatMap { changedPosition(member.key, $0, table) }
                members.append(changed ?? member)
            }
            let added = layers.references(to: key, column, table)
            if let position {
                members += try positioned(added, position, model.tables[table])
            } else {
                members += added.map { Member(key: $0, position: nil) }
            }
        case .link(let link, let isForward):
            let changes = layers.linkChanges(of: key, link, isSource: isForward)
            var changed: [Int64: LinkChange] = [:]
            for (pair, change) in changes { changed[pair.key(isSource: !isForward)] = change }
            for member in stored where !layers.isDeleted(member.key, table) {
                guard let change = changed.removeValue(forKey: member.key) else {
                    members.append(member)
                    continue
                }
                guard change.isMember else { continue }
                members.append(
                    Member(
                        key: member.key,
                        position: change.position(isForward: isForward, after: member.position)))
            }
            for (member, change) in changed
            where change.isMember && !change.isMove && !layers.isDeleted(member, table) {
                members.append(
                    Member(key: member, position: change.position(isForward: isForward)))
            }
        }
        return members.sorted {
            ($0.position ?? .max, $0.key) < ($1.position ?? .max, $1.key)
        }
    }

    /// Returns destinations with their positions, which may be those before the reference was changed.
    private func positioned(
        _ keys: [Int64], _ column: Int, _ table: TableLayout
    ) throws(PersistenceError) -> [Member] {
        var members: [Member] = []
        var unknown: [Int64] = []
        for key in keys {
            if let changed = changedPosition(key, column, table.index) {
                members.append(changed)
            } else {
                unknown.append(key)
            }
        }
        let rows = try storedRows(unknown, table)
        for key in unknown {
            var position: Int64?
            if case .integer(let value) = rows[key]?[column] { position = value }
            members.append(Member(key: key, position: position))
        }
        return members
    }

    private func changedPosition(_ key: Int64, _ column: Int, _ table: Int) -> Member? {
        switch layers.changedValue(key, column, table) {
        case .integer(let position): Member(key: key, position: position)
        case nil: nil
        default: Member(key: key, position: nil)
        }
    }
}
