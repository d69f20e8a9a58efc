// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// The deletion of the objects that fetch requests find and a response does not contain.
struct OrphanDeletion: Sendable {
    let fetchRequests: [FetchRequest]
    /// The maximum share of the found objects that is deleted.
    let maximumShare: Double
    /// A Boolean value that indicates whether the response may contain other objects than those that were
    /// imported, or is a part of a list.
    let isIncomplete: Bool
    /// The moment of the store before the request was sent; `nil` if it is not known.
    let moment: CommitPosition?
    /// The objects that were written since; `nil` for none.
    let fence: WriteFence?
    /// The names of the entities whose objects the response may have without their import.
    let uncertainEntities: Set<String>

    /// Deletes the orphans in the context that the response was imported into.
    ///
    /// The response may be older than what saves and later requests have written since the request was sent,
    /// so that such an object is no orphan.
    ///
    /// The fetch requests see the imported changes, so that an object is an orphan that matches only
    /// since the import.
    ///
    /// - Parameters:
    ///   - kept: The keys of the objects to keep.
    ///   - context: The context.
    /// - Returns: The IDs of the deleted objects, without those about which the response is uncertain; of
    ///   no objects if they exceed the share, or the response is incomplete.
    /// - Throws: ``/RestPersistence/PersistenceError`` if a fetch request is invalid, or of the
    ///   database.
    func run(
        keeping kept: Set<Int64>, in context: ManagedObjectContext
    ) throws(PersistenceError) -> Outcome {
        var found: Set<ManagedObjectID> = []
        for request in fetchRequests { found.formUnion(try context.fetchIDs(request)) }
        let absent = found.filter { !kept.contains($0.key) }
        guard let moment, moment.knowsChanges else {
            return Outcome(keptCount: absent.count)
        }
        let edited = absent.isEmpty ? [] : try context.rows.unsentKeys()
        let orphans = absent.filter {
            fence?.contains($0) != true && !context.isInserted($0, since: moment)
                && !edited.contains($0.key)
        }.sorted { $0.key < $1.key }
        if orphans.isEmpty { return Outcome() }
        if isIncomplete || Double(orphans.count) > maximumShare * Double(found.count) {
            return Outcome(keptCount: orphans.count)
        }
        let deleted = orphans.filter { !$0.isOf(uncertainEntities, in: context) }
        context.delete(deleted)
        return Outcome(deleted: deleted, keptCount: orphans.count - deleted.count)
    }

    struct Outcome {
        var deleted: [ManagedObjectID] = []
        var keptCount = 0
    }
}
