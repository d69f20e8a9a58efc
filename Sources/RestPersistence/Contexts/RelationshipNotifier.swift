// SPDX-License-Identifier: Apache-2.0

/// The notification of the observers of relationships that change in other rows than those of their objects.
struct RelationshipNotifier {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Notes that commits have changed relationships, for observers.
    ///
    /// A commit does not name the sources of changed foreign keys, so that all objects whose relationship
    /// has been read are notified.
    func note(_ changes: ChangedRelationships) {
        if context.identityMap.observed.isEmpty { return }
        for link in context.model.links.indices {
            for pair in changes.pairs[link] { noteLinkChange(pair, link) }
        }
        forEachObserved(where: { changes.contain($0, in: context.model) }) { $0.noteChange(of: $1) }
    }

    /// Notes that a row of a join table has changed, for observers.
    func noteLinkChange(_ pair: LinkPair, _ link: Int) {
        guard context.isObserved else { return }
        for isSource in [true, false] {
            guard let object = context.identityMap[pair.key(isSource: isSource)],
                object.registrar != nil
            else { continue }
            for relationship in object.layout.relationships {
                guard case .link(link, _) = relationship.storage else { continue }
                object.noteChange(of: relationship)
            }
        }
    }

    /// Notes that an object is no longer a destination, for observers.
    ///
    /// Objects with a join table to its table are all notified, because the rows are not read.
    func noteDeletion(of deleted: ManagedObject) {
        let table = deleted.layout.table
        let key = StoredValue.integer(deleted.objectID.key)
        forEachObserved(where: { context.model.layouts[$0.destination].table === table }) {
            object, relationship in
            let isRelated =
                switch relationship.storage {
                case .column(let column): object.values[column] == key
                case .inverseColumn(let column, _):
                    deleted.values[column] == .integer(object.objectID.key)
                case .link: true
                }
            if isRelated { object.noteChange(of: relationship) }
        }
    }

    /// Calls a closure with the objects whose relationships have been read.
    private func forEachObserved(
        where isIncluded: (RelationshipLayout) -> Bool,
        _ body: (ManagedObject, RelationshipLayout) -> Void
    ) {
        for layout in context.model.layouts {
            for relationship in layout.relationships where isIncluded(relationship) {
                for key in context.identityMap.observed.keys(of: relationship, in: layout) {
                    if let object = context.identityMap[key] { body(object, relationship) }
                }
            }
        }
    }
}
