// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Synchronization

/// The unsaved values of an object at the time when a request sends them.
///
/// If the request succeeds, the server has them, so that they replace what the store has, except for
/// those that the same context has set and saved since.
package final class SentChanges: Sendable {
    private let values: Mutex<SentValues>

    init(_ values: SentValues) { self.values = Mutex(values) }

    /// The values that nothing has replaced since.
    var remaining: SentValues { values.withLock(\.self) }

    fileprivate func removeValues(replacedBy saved: ChangeSet, editsOnly: Bool) {
        values.withLock { $0.removeValues(replacedBy: saved, editsOnly: editsOnly) }
    }
}

/// The values that the requests in progress have sent, in the order in which they were assembled.
///
/// The references are weak, so that nothing keeps what failed requests have sent.
struct SentRequests {
    private struct Reference {
        weak var sent: SentChanges?
    }

    private var references: [Reference] = []

    mutating func append(_ sent: SentChanges) {
        references.removeAll { $0.sent == nil }
        references.append(Reference(sent: sent))
    }

    /// Forgets the values in whose place a program has set and saved others.
    func removeValues(replacedBy saved: ChangeSet) {
        for reference in references {
            reference.sent?.removeValues(replacedBy: saved, editsOnly: true)
        }
    }

    /// Forgets the values in whose place a later request has sent others, which were saved.
    func removeValues(replacedBy later: SentChanges) {
        let changes = later.remaining.changes
        for reference in references {
            if reference.sent === later { return }
            reference.sent?.removeValues(replacedBy: changes, editsOnly: false)
        }
    }
}

/// The values that a request sends.
struct SentValues: Sendable {
    /// The changes of the object's row, and those of its relationships in other tables.
    private(set) var changes: ChangeSet
    /// The rows of join tables, by table, that the request contains and that have moved.
    ///
    /// The server has them, whatever the store has: saving inserts those that others have deleted.
    private(set) var moved: [Int: Set<LinkPair>]

    init(changes: ChangeSet, moved: [Int: Set<LinkPair>]) {
        self.changes = changes
        self.moved = moved
    }

    fileprivate mutating func removeValues(replacedBy saved: ChangeSet, editsOnly: Bool) {
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
                changes.updateLink(link) { $0.remove(pair) }
                moved[link]?.remove(pair)
            }
        }
    }
}

extension ManagedObjectContext {
    /// Calls a closure that assembles a request of an object, and returns the unsaved values that the
    /// request contains.
    ///
    /// The values of a class with functions that write it (`ObjectMappable`) are all in the request: it is
    /// not known which ones the functions read.
    ///
    /// - Returns: The result of the closure, and the values.
    package func sending<Result, Failure>(
        _ object: ManagedObject, _ assemble: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, sent: SentChanges) {
        let outer = writtenProperties
        writtenProperties = WrittenProperties(key: object.objectID.key)
        defer { writtenProperties = outer }
        let result = try assemble()
        let isWrittenByFunctions = object is any ObjectMappable
        return (result, sentChanges(of: object, isWrittenByFunctions ? nil : writtenProperties))
    }

    /// Returns the unsaved values of an object and of its relationships, for a request that sends them.
    ///
    /// - Complexity: O(*n*) in the number of unsaved changes.
    package func sentChanges(of object: ManagedObject) -> SentChanges {
        sentChanges(of: object, nil)
    }

    /// Returns the unsaved values of some properties of an object, or of all if they are `nil`.
    ///
    /// The row of a new object is saved as a whole.
    private func sentChanges(
        of object: ManagedObject, _ written: WrittenProperties?
    ) -> SentChanges {
        let (key, layout) = (object.objectID.key, object.layout)
        let isNew = state(of: key, layout.table.index) == .inserted
        let columns = written?.columns(in: model, of: layout)
        var sent = ChangeSet(model: model)
        var moved: [Int: Set<LinkPair>] = [:]
        sent.update(layout.table.index) { changes in
            if isNew {
                var row = Array(repeating: StoredValue.null, count: layout.table.width)
                overlay(key, layout.table.index, on: &row)
                changes.insert(key, row, entity: layout.index)
                return
            }
            for column in 0..<layout.table.width where columns?.contains(column) != false {
                guard let value = changedValue(key, column, layout.table.index) else { continue }
                changes.set(value, column, of: key, entity: layout.index, base: nil)
            }
        }
        for relationship in layout.relationships {
            let isWritten = written?.relationships.contains(relationship.index) != false
            switch relationship.storage {
            case .column(let column):
                if isWritten, let position = positionColumn(besides: relationship),
                    let value = changedValue(key, position, layout.table.index)
                {
                    // The end of the new list, which follows from the reference.
                    sent.update(layout.table.index) {
                        $0.set(value, position, of: key, entity: layout.index, base: nil)
                    }
                }
                guard relationship.isOneToOne, isNew || isWritten else { continue }
                // The former source of the destination; of a symmetric relationship, the partners.
                var referred = relationship.isSymmetric ? [key] : []
                if case .integer(let other) = changedValue(key, column, layout.table.index) {
                    referred.append(other)
                }
                let sources = effectiveChanges(of: layout.table.index)
                for destination in referred {
                    sent.update(layout.table.index) {
                        $0.add(sources, referringTo: destination, column, nil)
                    }
                }
            case .inverseColumn(let column, let position):
                guard isWritten else { continue }
                let table = model.layouts[relationship.destination].table.index
                let members = effectiveChanges(of: table)
                sent.update(table) { $0.add(members, referringTo: key, column, position) }
                guard let position, members.count > 0 else { continue }
                let present = positionedRelations(of: object, relationship).map(\.key)
                sent.update(table) { $0.add(members, column: position, of: present) }
            case .link(let link, let isForward):
                guard isWritten else { continue }
                for isSource in relationship.isSymmetric ? [true, false] : [isForward] {
                    for (pair, change) in linkChanges(of: key, link, isSource: isSource)
                    // A position in the list of another object is an edit of that object.
                    where isSource == isForward || !change.isMove {
                        sent.updateLink(link) { $0.set(pair, change) }
                    }
                }
                moved[link, default: []].formUnion(movedPairs(of: object, relationship))
            }
        }
        let values = SentChanges(SentValues(changes: sent, moved: moved))
        root.sentRequests.append(values)
        return values
    }

    /// Returns the moved rows of a join table without those that others have deleted; of a symmetric
    /// relationship also the reversed ones.
    private func movedPairs(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> Set<LinkPair> {
        guard case .link(let link, let isForward) = relationship.storage else { return [] }
        let changes = linkChanges(of: object.objectID.key, link, isSource: isForward)
        let pairs = changes.filter(\.change.isMove).map(\.pair)
        if pairs.isEmpty { return [] }
        let members = Set(positionedRelations(of: object, relationship).map(\.key))
        let moved = pairs.filter { members.contains($0.key(isSource: !isForward)) }
        return Set(moved).union(relationship.isSymmetric ? moved.map(\.reversed) : [])
    }

    /// Returns the column with the position in the list of the destination of a to-one relationship.
    private func positionColumn(besides relationship: RelationshipLayout) -> Int? {
        guard let inverse = relationship.inverse,
            case .inverseColumn(_, let position) =
                model.layouts[relationship.destination].relationships[inverse].storage
        else { return nil }
        return position
    }

    /// Takes what a request has sent as the values of the server, so that saving replaces what the store
    /// has.
    package func accept(_ sent: SentChanges) {
        let sent = sent.remaining
        for context in chain {
            for table in model.tables.indices where sent.changes.tables[table].count > 0 {
                context.top.update(table) { $0.accept(sent.changes.tables[table]) }
            }
            for link in model.links.indices {
                let moved = sent.moved[link] ?? []
                for (pair, change) in sent.changes.links[link].pairs
                where context.top.links[link].pairs[pair] == change {
                    var accepted = change
                    accepted.isEdit = false
                    context.top.updateLink(link) { $0.set(pair, accepted) }
                    for pair in [pair, pair.reversed] where moved.contains(pair) {
                        context.top.updateLink(link) { $0.set(pair, LinkChange(isMember: true)) }
                    }
                }
            }
        }
    }
}

/// The parts of unsaved changes that a request saves, and that it leaves unsaved.
///
/// A request saves new objects, what imports have set, and what it has sent. Edits and deletions of
/// other objects stay unsaved: a later request would not send what the store has already. Of an edit of
/// an imported value, the import is saved and the edit stays.
struct ChangePartition {
    private(set) var saved: ChangeSet
    private(set) var kept: ChangeSet

    init(_ changes: ChangeSet, sent: SentValues?, in model: ManagedObjectModel) {
        saved = ChangeSet(model: model)
        kept = ChangeSet(model: model)
        let sentTables = sent?.changes.tables
        for table in model.tables
        where changes.tables[table.index].count > 0 || sentTables?[table.index].count ?? 0 > 0 {
            divide(table, changes, sent: sent?.changes, in: model)
        }
        for (link, layout) in model.links.enumerated() {
            let sources = changes.tables[model.layouts[layout.source].table.index]
            let targets = changes.tables[model.layouts[layout.target].table.index]
            for (pair, change) in changes.links[link].pairs {
                if sent?.changes.links[link].pairs[pair] == change { continue }
                let areNew =
                    sources.state(of: pair.source) == .inserted
                    && targets.state(of: pair.target) == .inserted
                if change.isEdit, !areNew {
                    kept.updateLink(link) { $0.set(pair, change) }
                } else {
                    saved.updateLink(link) { $0.set(pair, change) }
                }
            }
            for (pair, change) in sent?.changes.links[link].pairs ?? [:] {
                saved.updateLink(link) { $0.set(pair, change) }
            }
            for pair in sent?.moved[link] ?? [] {
                saved.updateLink(link) { $0.set(pair, LinkChange(isMember: true)) }
            }
        }
        saved.pending = changes.pending
        saved.imported = changes.imported
        saved.collections = changes.collections
        saved.writes = changes.writes
        saved.unchangedCount = changes.unchangedCount
    }

    private mutating func divide(
        _ table: TableLayout, _ changes: ChangeSet, sent: ChangeSet?, in model: ManagedObjectModel
    ) {
        let (rows, sentRows) = (changes.tables[table.index], sent?.tables[table.index])
        // References to deleted rows are cleared when the deletions are saved.
        let cleared = table.references.filter { column in
            guard let destination = table.columns[column].destination else { return false }
            return changes.tables[model.layouts[destination].table.index].hasRemovals
        }
        var (saved, kept) = (TableChanges(width: table.width), TableChanges(width: table.width))
        for slot in 0..<rows.count {
            let (key, entity) = (rows.keys[slot], rows.entities[slot])
            switch rows.states[slot] {
            case .deleted, .dropped: kept.append(rows, slot)
            case .inserted:
                saved.append(rows, slot)
                for column in 0..<table.width {
                    let value = rows.value(slot, column)
                    guard let known = sentRows?.changedValue(key, column), known != value else {
                        continue
                    }
                    saved.set(known, column, of: key, entity: entity, base: nil)
                    kept.set(value, column, of: key, entity: entity, base: known)
                }
            case .updated:
                for column in rows.masks[slot].columns {
                    let (value, base) = (rows.value(slot, column), rows.base(slot, column))
                    let known = sentRows?.changedValue(key, column)
                    if known == value { continue }
                    if let imported = rows.importedBase(slot, column), imported != value,
                        !refersToRemoved(imported, table.columns[column], changes, model)
                    {
                        saved.set(imported, column, of: key, entity: entity, base: nil)
                        kept.set(value, column, of: key, entity: entity, base: known ?? imported)
                    } else if base != nil || value.isNull && cleared.contains(column) {
                        kept.set(
                            value, column, of: key, entity: entity, base: known ?? base,
                            isClearing: rows.isCleared(slot, column))
                    } else {
                        saved.set(value, column, of: key, entity: entity, base: nil)
                    }
                }
            }
        }
        // Also what was changed again since it was sent.
        if let sentRows { saved.absorb(sentRows.updates) }
        self.saved.update(table.index) { $0 = saved }
        self.kept.update(table.index) { $0 = kept }
    }

    /// Returns a Boolean value that indicates whether a value is a reference to a row that the changes
    /// delete, which may never have been saved.
    private func refersToRemoved(
        _ value: StoredValue, _ column: ColumnLayout, _ changes: ChangeSet,
        _ model: ManagedObjectModel
    ) -> Bool {
        guard let destination = column.destination, case .integer(let key) = value else {
            return false
        }
        return changes.tables[model.layouts[destination].table.index].isDeleted(key)
    }

    /// Removes the edits of rows that a response has deleted, and those to the values that it has.
    mutating func removeEdits(resolvedBy response: ChangeSet, in model: ManagedObjectModel) {
        for table in model.tables.indices {
            let changes = response.tables[table]
            if changes.count == 0 || kept.tables[table].count == 0 { continue }
            var deleted: Set<Int64> = []
            var confirmed: [Int64: ColumnMask] = [:]
            for slot in 0..<changes.count {
                let key = changes.keys[slot]
                if changes.states[slot].isDeletion {
                    deleted.insert(key)
                    continue
                }
                for column in changes.masks[slot].columns
                where kept.tables[table].changedValue(key, column) == changes.value(slot, column) {
                    confirmed[key, default: ColumnMask()].insert(column)
                }
            }
            if deleted.isEmpty, confirmed.isEmpty { continue }
            kept.update(table) { kept in
                var rest = TableChanges(width: kept.width)
                rest.absorb(kept, except: deleted, columns: confirmed)
                kept = rest
            }
        }
        for link in model.links.indices where !kept.links[link].isEmpty {
            for (pair, change) in response.links[link].pairs
            where kept.links[link].pairs[pair]?.isMember == change.isMember {
                kept.updateLink(link) { $0.remove(pair) }
            }
        }
    }
}

extension ChangeSet {
    /// Returns the part of these changes that is in kept ones, and removes it from them.
    ///
    /// A context whose parents have changed the same values keeps those that win.
    func taking(from kept: inout ChangeSet, in model: ManagedObjectModel) -> ChangeSet {
        var taken = ChangeSet(model: model)
        for table in model.tables.indices where kept.tables[table].count > 0 {
            kept.update(table) { kept in
                taken.update(table) { $0 = tables[table].taking(from: &kept) }
            }
        }
        for link in model.links.indices where !kept.links[link].isEmpty {
            for pair in links[link].pairs.keys {
                guard let change = kept.links[link].pairs[pair] else { continue }
                taken.updateLink(link) { $0.set(pair, change) }
                kept.updateLink(link) { $0.remove(pair) }
            }
        }
        return taken
    }
}
