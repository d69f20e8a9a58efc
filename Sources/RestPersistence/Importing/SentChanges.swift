// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Synchronization

/// The unsaved values of an object at the time when a request sends them.
///
/// If the request succeeds, the server has them, so that they replace what the store has, except for
/// those that the same context has set and saved since.
package final class SentChanges: Sendable {
    private let values: Mutex<SentValues>
    /// The properties that the request contains, also those whose values are saved.
    let written: WrittenValues

    init(_ values: SentValues, writing written: WrittenValues, isOfNewObject: Bool) {
        self.isOfNewObject = isOfNewObject
        self.values = Mutex(values)
        self.written = written
    }

    /// A Boolean value that indicates whether the object was new when the request was sent.
    package let isOfNewObject: Bool

    /// The values that nothing has replaced since.
    var remaining: SentValues { values.withLock(\.self) }

    fileprivate func removeValues(replacedBy saved: ChangeSet, editsOnly: Bool) {
        values.withLock { $0.removeValues(replacedBy: saved, editsOnly: editsOnly) }
    }
}

extension WriteFence {
    /// Creates the fence of the response to a request, which keeps what its program has set and saved since the
    /// request was sent; returns `nil` if there is nothing to keep.
    ///
    /// The response has the values that were sent, and the program has newer ones.
    ///
    /// - Parameters:
    ///   - fence: What later requests have written; `nil` for nothing.
    ///   - sent: What the request has sent; `nil` for nothing.
    package init?(_ fence: WriteFence?, savedSince sent: SentChanges?) {
        var written = fence?.written ?? WrittenValues()
        if let sent { written.formUnion(sent.remaining.savedSince) }
        if written.isEmpty { return nil }
        self.init(written: written)
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

    /// Returns the keys of the new rows that other requests are sending, whose responses save them.
    func insertions(except own: SentChanges?) -> Set<Int64> {
        var keys: Set<Int64> = []
        for case let sent? in references.map(\.sent) where sent !== own {
            for table in sent.remaining.changes.tables {
                for slot in 0..<table.count where table.states[slot] == .inserted {
                    keys.insert(table.keys[slot])
                }
            }
        }
        return keys
    }

    /// Returns a Boolean value that indicates whether a request has sent another value of a column.
    func haveSentOther(
        than value: StoredValue, _ column: Int, of key: Int64, _ table: Int
    ) -> Bool {
        references.contains { reference in
            let sent = reference.sent?.remaining.changes.tables[table]
            return sent?.changedValue(key, column).map { $0 != value } ?? false
        }
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

extension ManagedObjectContext {
    /// Calls a closure that assembles a request of an object, and returns the unsaved values that the
    /// request contains.
    ///
    /// A request has all values of a class with functions that write it (`ObjectMappable`).
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - onlyChanges: A Boolean value that indicates whether the request contains only what differs from the
    ///     stored object. It says nothing about the other properties.
    ///   - assemble: The closure.
    /// - Returns: The result of the closure, and the values.
    /// - Throws: The error of the closure.
    package func sending<Result, Failure>(
        _ object: ManagedObject, onlyChanges: Bool = false,
        _ assemble: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, sent: SentChanges) {
        let outer = writtenProperties
        writtenProperties = WrittenProperties(key: object.objectID.key)
        defer { writtenProperties = outer }
        let result = try assemble()
        let isWrittenByFunctions = object is any ObjectMappable
        let written = isWrittenByFunctions ? nil : writtenProperties
        return (result, sentChanges(of: object, written, onlyChanges: onlyChanges))
    }

    /// Returns the unsaved values of an object and of its relationships, for a request that sends them.
    ///
    /// - Complexity: O(*n*) in the number of unsaved changes.
    package func sentChanges(of object: ManagedObject) -> SentChanges {
        sentChanges(of: object, nil, onlyChanges: false)
    }

    /// Returns the unsaved values of some properties of an object, or of all if they are `nil`.
    ///
    /// The row of a new object is saved as a whole.
    private func sentChanges(
        of object: ManagedObject, _ written: WrittenProperties?, onlyChanges: Bool
    ) -> SentChanges {
        let (key, layout) = (object.objectID.key, object.layout)
        let isNew = state(of: key, layout.table.index) == .inserted
        let columns = written?.columns(in: model, of: layout)
        var sent = ChangeSet(model: model)
        var moved: [Int: Set<LinkPair>] = [:]
        var all = WrittenValues()
        if !onlyChanges { all.add(columns ?? ColumnMask(first: layout.table.width), of: key) }
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
                if onlyChanges { all.add(ColumnMask(column: column), of: key) }
            }
        }
        for relationship in layout.relationships {
            let isWritten = written?.relationships.contains(relationship.index) != false
            if isWritten, !onlyChanges || hasUnsavedMembers(in: relationship, of: key) {
                all.add(relationship, of: key, in: layout, model)
            }
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
        let values = SentChanges(
            SentValues(changes: sent, moved: moved), writing: all, isOfNewObject: isNew)
        root.sentRequests.append(values)
        return values
    }

    /// Returns a Boolean value that indicates whether the members of a relationship of an object are changed,
    /// which are not in a column of its row.
    private func hasUnsavedMembers(
        in relationship: RelationshipLayout, of key: Int64
    ) -> Bool {
        let destination = model.layouts[relationship.destination].table
        switch relationship.storage {
        case .column: return false
        case .inverseColumn(let column, let position):
            var members = TableChanges(width: destination.width)
            members.add(effectiveChanges(of: destination.index), referringTo: key, column, position)
            return members.count > 0
        case .link(let link, let isForward):
            return !linkChanges(of: key, link, isSource: isForward).isEmpty
        }
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

    /// Records what the request has written, except for what its program has set and saved since.
    package func recordValues(of sent: SentChanges) {
        guard let transaction, transaction.recordsValues else { return }
        var written = sent.written
        written.subtract(sent.remaining.savedSince)
        transaction.written.formUnion(written)
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
