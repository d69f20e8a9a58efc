// SPDX-License-Identifier: Apache-2.0

/// The collection of the unsaved values of an object that a request sends.
struct SentChangesCollector {
    private let object: ManagedObject
    /// A Boolean value that indicates whether the request contains only what differs from the stored
    /// object, and says nothing about the other properties.
    private let onlyChanges: Bool
    private var context: ManagedObjectContext { object.context }

    init(_ object: ManagedObject, onlyChanges: Bool) {
        self.object = object
        self.onlyChanges = onlyChanges
    }

    /// Returns the unsaved values of some properties of an object, or of all if they are `nil`.
    ///
    /// The row of a new object is saved as a whole.
    func sentChanges(_ written: WrittenProperties?) -> SentChanges {
        let (key, layout) = (object.objectID.key, object.layout)
        let isNew = context.layered.layers.state(of: key, layout.table.index) == .inserted
        let columns = written?.columns(in: context.model, of: layout)
        var sent = ChangeSet(model: context.model)
        var moved: [Int: Set<LinkPair>] = [:]
        var all = WrittenValues()
        if !onlyChanges { all.add(columns ?? ColumnMask(first: layout.table.width), of: key) }
        sent.update(layout.table.index) { changes in
            if isNew {
                var row = Array(repeating: StoredValue.null, count: layout.table.width)
                context.layered.layers.overlay(key, layout.table.index, on: &row)
                changes.insert(key, row, entity: layout.index)
                return
            }
            for column in 0..<layout.table.width where columns?.contains(column) != false {
                guard
                    let value = context.layered.layers.changedValue(key, column, layout.table.index)
                else {
                    continue
                }
                changes.set(value, column, of: key, entity: layout.index, base: nil)
                if onlyChanges { all.add(ColumnMask(column: column), of: key) }
            }
        }
        for relationship in layout.relationships {
            let isWritten = written?.relationships.contains(relationship.index) != false
            if isWritten, !onlyChanges || hasUnsavedMembers(in: relationship, of: key) {
                all.add(relationship, of: key, in: layout, context.model)
            }
            switch relationship.storage {
            case .column(let column):
                if isWritten, let position = positionColumn(besides: relationship),
                    let value = context.layered.layers.changedValue(
                        key, position, layout.table.index)
                {
                    // The end of the new list, which follows from the reference.
                    sent.update(layout.table.index) {
                        $0.set(value, position, of: key, entity: layout.index, base: nil)
                    }
                }
                guard relationship.isOneToOne, isNew || isWritten else { continue }
                // The former source of the destination; of a symmetric relationship, the partners.
                var referred = relationship.isSymmetric ? [key] : []
                if case .integer(let other) = context.layered.layers.changedValue(
                    key, column, layout.table.index)
                {
                    referred.append(other)
                }
                let sources = context.layered.layers.effectiveChanges(of: layout.table.index)
                for destination in referred {
                    sent.update(layout.table.index) {
                        $0.add(sources, referringTo: destination, column, nil)
                    }
                }
            case .inverseColumn(let column, let position):
                guard isWritten else { continue }
                let table = context.model.layouts[relationship.destination].table.index
                let members = context.layered.layers.effectiveChanges(of: table)
                sent.update(table) { $0.add(members, referringTo: key, column, position) }
                guard let position, members.count > 0 else { continue }
                let present = context.relationships.positionedRelations(of: object, relationship)
                    .map(\.key)
                sent.update(table) { $0.add(members, column: position, of: present) }
            case .link(let link, let isForward):
                guard isWritten else { continue }
                for isSource in relationship.isSymmetric ? [true, false] : [isForward] {
                    for (pair, change) in context.layered.layers.linkChanges(
                        of: key, link, isSource: isSource)
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
        context.root.requests.sent.append(values)
        return values
    }

    /// Returns a Boolean value that indicates whether the members of a relationship of an object are changed,
    /// which are not in a column of its row.
    private func hasUnsavedMembers(
        in relationship: RelationshipLayout, of key: Int64
    ) -> Bool {
        let destination = context.model.layouts[relationship.destination].table
        switch relationship.storage {
        case .column: return false
        case .inverseColumn(let column, let position):
            var members = TableChanges(width: destination.width)
            members.add(
                context.layered.layers.effectiveChanges(of: destination.index), referringTo: key,
                column,
                position)
            return members.count > 0
        case .link(let link, let isForward):
            return !context.layered.layers.linkChanges(of: key, link, isSource: isForward).isEmpty
        }
    }

    /// Returns the moved rows of a join table without those that others have deleted; of a symmetric
    /// relationship also the reversed ones.
    private func movedPairs(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> Set<LinkPair> {
        guard case .link(let link, let isForward) = relationship.storage else { return [] }
        let changes = context.layered.layers.linkChanges(
            of: object.objectID.key, link, isSource: isForward)
        let pairs = changes.filter(\.change.isMove).map(\.pair)
        if pairs.isEmpty { return [] }
        let members = Set(
            context.relationships.positionedRelations(of: object, relationship).map(\.key))
        let moved = pairs.filter { members.contains($0.key(isSource: !isForward)) }
        return Set(moved).union(relationship.isSymmetric ? moved.map(\.reversed) : [])
    }

    /// Returns the column with the position in the list of the destination of a to-one relationship.
    private func positionColumn(besides relationship: RelationshipLayout) -> Int? {
        guard let inverse = relationship.inverse,
            case .inverseColumn(_, let position) =
                context.model.layouts[relationship.destination].relationships[inverse].storage
        else { return nil }
        return position
    }
}
