// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Records that a request sends a new object, so that the server may store it.
    ///
    /// The object then takes over a stored row with its identity: that of a list that arrives before the
    /// response, or in its place. The identity is the declared one, or that of the rules of a mapping, by
    /// which a list would find the object, under their condition on stored objects. Rules with a condition that
    /// depends on the representation are left out, as there is none of the object before the response.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - sent: The unsaved values that the request sends.
    ///   - mappings: The mappings of the responses that may bring the object.
    package func noteSending(
        of object: ManagedObject, _ sent: SentChanges, mappings: [EntityMapping] = []
    ) {
        let (key, layout) = (object.objectID.key, object.layout)
        let rows = sent.remaining.changes.tables[layout.table.index]
        guard let slot = rows.slot(of: key), rows.states[slot] == .inserted else { return }
        let row = (0..<layout.table.width).map { rows.value(slot, $0) }
        let identities = EntityMapping.identifications(of: layout, by: mappings, in: model)
        for context in chain.contexts
        where context.layers.top.tables[layout.table.index].state(of: key) == .inserted {
            for (identity, predicate) in identities {
                context.layers.top.imported.add(
                    ImportedInsertions.Group(
                        entity: layout.index, identity: identity, sent: row, key: key,
                        condition: predicate.map {
                            StoredPredicate($0, on: layout, in: model, store: database.identity)
                        }))
            }
        }
    }
}
