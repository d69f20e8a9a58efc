// SPDX-License-Identifier: Apache-2.0

import RestMapping

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
        where context.layered.layers.top.tables[layout.table.index].state(of: key) == .inserted {
            for (identity, predicate) in identities {
                context.layered.layers.top.imported.add(
                    ImportedInsertions.Group(
                        entity: layout.index, identity: identity, sent: row, key: key,
                        condition: predicate.map {
                            StoredPredicate($0, on: layout, in: model, store: database.identity)
                        }))
            }
        }
    }

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
        let outer = requests.written
        requests.written = WrittenProperties(key: object.objectID.key)
        defer { requests.written = outer }
        let result = try assemble()
        let isWrittenByFunctions = object is any ObjectMappable
        let written = isWrittenByFunctions ? nil : requests.written
        let collector = SentChangesCollector(object, onlyChanges: onlyChanges)
        return (result, collector.sentChanges(written))
    }

    /// Returns the unsaved values of an object and of its relationships, for a request that sends them.
    ///
    /// - Complexity: O(*n*) in the number of unsaved changes.
    package func sentChanges(of object: ManagedObject) -> SentChanges {
        SentChangesCollector(object, onlyChanges: false).sentChanges(nil)
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
        for context in chain.contexts {
            for table in model.tables.indices where sent.changes.tables[table].count > 0 {
                context.layered.layers.top.update(table) { $0.accept(sent.changes.tables[table]) }
            }
            for link in model.links.indices {
                let moved = sent.moved[link] ?? []
                for (pair, change) in sent.changes.links[link].pairs
                where context.layered.layers.top.links[link].pairs[pair] == change {
                    var accepted = change
                    accepted.isEdit = false
                    context.layered.layers.top.updateLink(link) { $0.set(pair, accepted) }
                    for pair in [pair, pair.reversed] where moved.contains(pair) {
                        context.layered.layers.top.updateLink(link) {
                            $0.set(pair, LinkChange(isMember: true))
                        }
                    }
                }
            }
        }
    }
}
