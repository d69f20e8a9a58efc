// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A condition on the stored rows that a new row may take over.
///
/// The identity is that of the rules for which it was made: rows with one condition are searched together.
package protocol StoredRowCondition: AnyObject, Sendable {
    /// Returns those of some rows that meet the condition.
    func keys(
        meeting keys: [Int64], in database: Database
    ) throws(PersistenceError) -> Set<Int64>
}

/// The new rows that may be stored already, by the attributes by which they are searched for: those of
/// imports into a context, and those that requests have sent.
///
/// Between such an import and its save, another connection may insert the same objects. A server may
/// have stored the object of a request whose response was lost, or that arrives after a list with the
/// object. Saving therefore searches for them, in the transaction that writes, and they take over the
/// stored rows. Other rows that a program inserts are not among them: two of them with the same identity
/// are a conflict.
package struct ImportedInsertions: Sendable {
    /// The new rows of an entity.
    package struct Group: Sendable {
        let entity: Int
        /// The columns of the identification attributes.
        let identity: [Int]
        /// The columns that the documents assign, by the key of the row.
        package fileprivate(set) var assigned: [Int64: ColumnMask]
        /// The values that a request has sent, by the key of the row.
        ///
        /// They are the base of what was set since, and do not replace what the server has sent since.
        fileprivate(set) var sent: [Int64: [StoredValue]] = [:]
        /// The keys of the objects of requests that have been saved since, and whether they were new when
        /// the request was sent.
        fileprivate(set) var stored: [Int64: Bool] = [:]
        /// The conditions on the stored rows, by the key of the row; none for any stored row.
        fileprivate(set) var conditions: [Int64: any StoredRowCondition] = [:]

        package init(
            entity: Int, identity: [Int], assigned: [Int64: ColumnMask],
            stored: [Int64: Bool] = [:], conditions: [Int64: any StoredRowCondition] = [:]
        ) {
            self.entity = entity
            self.identity = identity
            self.assigned = assigned
            self.stored = stored
            self.conditions = conditions
        }

        /// Creates the group of a row that a request has sent.
        package init(
            entity: Int, identity: [Int], sent row: [StoredValue], key: Int64,
            condition: (any StoredRowCondition)? = nil
        ) {
            self.init(entity: entity, identity: identity, assigned: [key: ColumnMask()])
            sent[key] = row
            conditions[key] = condition
        }

        /// Returns the pairs of new and stored rows whose stored row meets the condition of the new one.
        ///
        /// - Complexity: One query for each condition.
        func meetingConditions(
            _ pairs: [(new: Int64, stored: Int64)], in database: Database
        ) throws(PersistenceError) -> [(new: Int64, stored: Int64)] {
            if conditions.isEmpty { return pairs }
            var searched: [ObjectIdentifier: (condition: any StoredRowCondition, keys: [Int64])] =
                [:]
            for pair in pairs {
                guard let condition = conditions[pair.new] else { continue }
                searched[ObjectIdentifier(condition), default: (condition, [])].keys
                    .append(pair.stored)
            }
            var met: [ObjectIdentifier: Set<Int64>] = [:]
            for (id, search) in searched {
                met[id] = try search.condition.keys(meeting: search.keys, in: database)
            }
            return pairs.filter { pair in
                guard let condition = conditions[pair.new] else { return true }
                return met[ObjectIdentifier(condition)]?.contains(pair.stored) == true
            }
        }

        /// Returns the rows whose keys meet a condition.
        fileprivate func filter(_ condition: (Int64) -> Bool) -> Group {
            var group = self
            group.assigned = assigned.filter { condition($0.key) }
            group.sent = sent.filter { condition($0.key) }
            group.stored = stored.filter { condition($0.key) }
            group.conditions = conditions.filter { condition($0.key) }
            return group
        }
    }

    package private(set) var groups: [Group] = []
    /// The keys of all new rows that imports have inserted, in ranges.
    private var created: [Range<Int64>] = []

    /// Adds the keys of new rows that an import has inserted.
    package mutating func add(created keys: Range<Int64>) {
        if keys.isEmpty { return }
        if let last = created.last, last.upperBound == keys.lowerBound {
            created[created.count - 1] = last.lowerBound..<keys.upperBound
        } else {
            created.append(keys)
        }
    }

    /// Returns a Boolean value that indicates whether an import has inserted a row.
    func hasCreated(_ key: Int64) -> Bool { created.contains { $0.contains(key) } }

    /// Returns a Boolean value that indicates whether an import or a request knows a new row.
    func contains(_ key: Int64) -> Bool { groups.contains { $0.assigned[key] != nil } }

    package mutating func add(_ group: Group) {
        if group.assigned.isEmpty { return }
        let known = groups.firstIndex {
            $0.entity == group.entity && $0.identity == group.identity
        }
        if let known {
            groups[known].assigned.merge(group.assigned) { $0.union($1) }
            groups[known].sent.merge(group.sent) { $1 }
            groups[known].stored.merge(group.stored) { $1 }
            // The condition of the latest rules.
            for key in group.assigned.keys { groups[known].conditions[key] = group.conditions[key] }
        } else {
            groups.append(group)
        }
    }

    /// Adds the rows of the layer above.
    mutating func absorb(_ upper: ImportedInsertions) {
        for group in upper.groups { add(group) }
        for keys in upper.created { add(created: keys) }
    }

    /// Forgets the values that requests have sent of rows, all of whose values then replace stored ones.
    mutating func forgetSentValues(of keys: Set<Int64>) {
        for group in groups.indices {
            for key in keys { groups[group].sent[key] = nil }
        }
    }

    /// Returns the keys of the new rows of an entity that are searched for by attributes.
    func keys(of entity: Int, by identity: [Int]) -> Set<Int64> {
        let group = groups.first { $0.entity == entity && $0.identity == identity }
        return Set((group?.assigned ?? [:]).keys)
    }

    /// Returns the rows without those with some keys, and these.
    func divided(_ keys: Set<Int64>) -> (ImportedInsertions, ImportedInsertions) {
        var (others, matches) = (ImportedInsertions(), ImportedInsertions())
        (others.created, matches.created) = (created, created)
        for group in groups {
            others.add(group.filter { !keys.contains($0) })
            matches.add(group.filter { keys.contains($0) })
        }
        return (others, matches)
    }

    /// Returns the rows without those whose keys meet a condition.
    fileprivate func without(_ condition: (Int64) -> Bool) -> ImportedInsertions {
        var rest = ImportedInsertions()
        rest.created = created
        for group in groups { rest.add(group.filter { !condition($0) }) }
        return rest
    }

    /// Returns the rows that others have as well.
    func taking(from kept: ImportedInsertions) -> ImportedInsertions {
        var taken = ImportedInsertions()
        taken.created = created
        if kept.groups.isEmpty { return taken }
        for group in groups {
            let keys = kept.keys(of: group.entity, by: group.identity)
            taken.add(group.filter { keys.contains($0) })
        }
        return taken
    }
}

/// The keys of new rows that others have inserted meanwhile, with the keys of the stored rows.
package struct KeyReplacements: Sendable {
    /// The key of the stored row, by the key of the new one.
    package private(set) var keys: [Int64: Int64] = [:]
    /// The columns that the new rows assign to the stored ones.
    private(set) var assigned: [Int64: ColumnMask] = [:]
    /// The values that requests have sent, by the key of the new row.
    private(set) var sent: [Int64: [StoredValue]] = [:]

    package var isEmpty: Bool { keys.isEmpty }

    /// Adds a stored row; the oldest of several with the same identity wins.
    mutating func add(_ key: Int64, for new: Int64, of group: ImportedInsertions.Group) {
        keys[new] = min(keys[new] ?? .max, key)
        assigned[new] = (assigned[new] ?? ColumnMask()).union(group.assigned[new] ?? ColumnMask())
        if let row = group.sent[new] { sent[new] = row }
    }

    /// Returns the replacements, and those of a later save of the same transaction.
    func adding(_ later: KeyReplacements) -> KeyReplacements {
        var all = self
        all.keys.merge(later.keys) { $1 }
        all.assigned.merge(later.assigned) { $1 }
        all.sent.merge(later.sent) { $1 }
        return all
    }

    subscript(key: Int64) -> Int64 { keys[key] ?? key }

    /// Returns a value of a column that may refer to a row.
    subscript(reference: StoredValue) -> StoredValue {
        guard case .integer(let key) = reference, let stored = keys[key] else { return reference }
        return .integer(stored)
    }
}

extension ChangeSet {
    /// Returns the changes with other keys; a new row whose key is replaced is an update.
    package func replacing(_ keys: KeyReplacements, in model: ManagedObjectModel) -> ChangeSet {
        var replaced = ChangeSet(model: model)
        for table in model.tables where tables[table.index].count > 0 {
            replaced.update(table.index) {
                $0 = tables[table.index].replacing(keys, references: table.references)
            }
        }
        for link in links.indices where !links[link].isEmpty {
            replaced.updateLink(link) { $0 = links[link].replacing(keys) }
        }
        replaced.pending = pending.replacing(keys)
        replaced.collections = collections.map { $0.replacing(keys) }
        replaced.writes = writes.map { $0.replacing(keys) }
        replaced.unchangedCount = unchangedCount
        replaced.imported = imported.without { keys.keys[$0] != nil }
        return replaced
    }
}

extension TableChanges {
    fileprivate func replacing(_ keys: KeyReplacements, references: [Int]) -> TableChanges {
        var replaced = TableChanges(width: width)
        for slot in 0..<count {
            let (old, entity) = (self.keys[slot], entities[slot])
            let key = keys[old]
            var row = (0..<width).map { value(slot, $0) }
            for column in references { row[column] = keys[row[column]] }
            switch states[slot] {
            case .inserted where key != old:
                let assigned = keys.assigned[old] ?? ColumnMask()
                guard let sent = keys.sent[old] else {
                    replaced.merge(key, masks[slot].union(assigned), row[...], entity: entity)
                    continue
                }
                replaced.merge(key, assigned, row[...], entity: entity)
                for column in masks[slot].columns where !assigned.contains(column) {
                    let base = references.contains(column) ? keys[sent[column]] : sent[column]
                    if row[column] == base { continue }
                    replaced.set(row[column], column, of: key, entity: entity, base: base)
                }
            case .inserted: replaced.insert(key, row, changed: masks[slot], entity: entity)
            case .updated:
                for column in masks[slot].columns {
                    let isReference = references.contains(column)
                    let imported = importedBase(slot, column).map { isReference ? keys[$0] : $0 }
                    if let imported {
                        replaced.set(imported, column, of: key, entity: entity, base: nil)
                    }
                    replaced.set(
                        row[column], column, of: key, entity: entity,
                        base: imported ?? base(slot, column).map { isReference ? keys[$0] : $0 },
                        isClearing: isCleared(slot, column),
                        isCounting: isCounted(slot, column))
                }
            case .dropped:
                replaced.insert(key, row, entity: entity)
                replaced.delete(key, entity: entity)
            case .deleted: replaced.delete(key, entity: entity)
            }
        }
        return replaced
    }
}

extension LinkChanges {
    fileprivate func replacing(_ keys: KeyReplacements) -> LinkChanges {
        var replaced = LinkChanges()
        for (pair, change) in pairs {
            replaced.set(
                LinkPair(keys[pair.source], keys[pair.target], isForward: true), change)
        }
        return replaced
    }
}

extension ReferenceChanges {
    fileprivate func replacing(_ keys: KeyReplacements) -> ReferenceChanges {
        var replaced = ReferenceChanges()
        for (owner, change) in ordered {
            replaced.set(
                change, of: Owner(key: keys[owner.key], relationship: owner.relationship))
        }
        for (owner, destinations) in decided {
            replaced.decide(
                Set(destinations.map { keys[$0] }),
                of: Owner(key: keys[owner.key], relationship: owner.relationship))
        }
        return replaced
    }
}

extension CollectionChange {
    fileprivate func replacing(_ keys: KeyReplacements) -> CollectionChange {
        guard case .fetched(let response) = self else { return self }
        let members = response.members.map { $0.replacing(key: keys[$0.key]) }
        return .fetched(
            CollectionResponse(
                response.request, members, url: response.url, fetchedAt: response.fetchedAt,
                facts: response.facts, extent: response.extent))
    }
}
