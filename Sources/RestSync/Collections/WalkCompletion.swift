// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestPersistence
import RestTransport

/// The end of a walk over the pages of a list: the proof that it is complete, and the deletion of the
/// objects that it has not found.
struct WalkCompletion: Sendable {
    let recorder: WalkRecorder
    let policy: OrphanPolicy
    let collections: CollectionReader
    let manager: ObjectManager
    /// The request for the first page.
    let firstRequest: AssembledRequest<ObjectResponse>
    /// The pager, at the end of the list.
    let pager: ResponsePager

    /// The moment of the store before the walk, or its continuation, began; `nil` if nothing is deleted.
    let moment: CommitPosition?

    /// The result of closing the walk.
    private struct Outcome: Sendable {
        var orphanIDs: [ManagedObjectID] = []
        var keptIDs: [ManagedObjectID: [CollectionRequest]] = [:]
        var reasons: Set<IncompletenessReason> = []
    }

    /// Completes the collection.
    ///
    /// - Throws: ``SyncError`` with code `saveFailed`, or `CancellationError`.
    func run(into walk: inout PageTraversalResult) async throws {
        do {
            try await collections.write {
                $0.record(.ended(recorder.request, walk: recorder.id))
                try $0.save()
            }
            let collection = try await collections.collection(of: recorder.request)
            let isProvable =
                isCurrent(collection) && policy.maximumShare != nil
                && collection?.unconfirmedIDs.isEmpty == false
            let proof = isProvable ? try await reasonsOfServer(about: collection) : nil
            let outcome = try await collections.write { try close($0, proof) }
            walk.orphanIDs = outcome.orphanIDs
            walk.keptIDs = outcome.keptIDs
            walk.incompletenessReasons = outcome.reasons.sorted {
                $0.rawValue < $1.rawValue
            }
            if outcome.reasons.isDisjoint(with: [.superseded, .removed]) {
                walk.collection = try await collections.collection(of: recorder.request)
            }
        } catch let error as PersistenceError {
            throw SyncError(.saveFailed, firstRequest.transportRequest, error)
        }
    }

    private func isCurrent(_ collection: StoredCollection?) -> Bool {
        collection?.facts.walk.id == recorder.id
    }

    /// Closes the walk, and deletes the unconfirmed objects if the walk proves that they are gone.
    ///
    /// It decides in the transaction that deletes: imports since the last page may have found the objects.
    ///
    /// - Parameters:
    ///   - context: The context of the transaction.
    ///   - proof: The reasons before the transaction; `nil` if nothing is to be proven.
    /// - Returns: The deleted objects, or the reasons.
    /// - Throws: ``/RestPersistence/PersistenceError`` of the transaction.
    private func close(
        _ context: ManagedObjectContext, _ proof: Set<IncompletenessReason>?
    ) throws -> Outcome {
        var outcome = Outcome()
        let collection = try context.collection(of: recorder.request)
        guard let collection, isCurrent(collection) else {
            outcome.reasons = [collection == nil ? .removed : .superseded]
            return outcome
        }
        var reasons = reasons(about: collection).union(proof ?? [])
        let edited = collection.unconfirmedIDs.isEmpty ? [] : try context.rows.unsentKeys()
        if let moment, !collection.unconfirmedIDs.isEmpty {
            let later = moment.fence(ofWrite: false)
            let fence = try context.rows.fence(later, answering: nil, sentAt: moment.requestDate)
            // Objects with edits that were not sent yet stay anyway.
            let isWritten = collection.unconfirmedIDs.contains {
                later?.contains($0) == true
                    || fence?.contains($0) == true && !edited.contains($0.key)
            }
            if isWritten { reasons.insert(.laterWrite) }
        }
        let hasOrphans = proof != nil && !collection.unconfirmedIDs.isEmpty
        if hasOrphans { outcome.reasons = reasons }
        let deletes = hasOrphans && reasons.isEmpty
        if deletes {
            outcome.keptIDs = try context.lists(
                with: collection.unconfirmedIDs, except: recorder.request)
            outcome.orphanIDs = collection.unconfirmedIDs.filter {
                outcome.keptIDs[$0] == nil && !edited.contains($0.key)
            }
            try context.deleteMembers(outcome.orphanIDs)
        }
        context.setOrigin(
            .response(
                method: firstRequest.transportRequest.method.rawValue,
                url: firstRequest.transportRequest.url.redacted))
        context.record(
            .closed(
                recorder.request, walk: recorder.id, reasons: reasons,
                removesUnconfirmed: deletes))
        try context.save()
        return outcome
    }

    /// Returns the reasons for doubt that the collection tells.
    private func reasons(about collection: StoredCollection) -> Set<
        IncompletenessReason
    > {
        var reasons = collection.facts.walk.reasons
        if let total = collection.facts.walk.total, total != collection.objectIDs.count {
            reasons.insert(.totalDiffers)
        }
        if pager.end?.isList == false { reasons.insert(.unexpectedShape) }
        if let share = policy.maximumShare {
            let count = collection.objectIDs.count + collection.unconfirmedIDs.count
            if Double(collection.unconfirmedIDs.count) > share * Double(count) {
                reasons.insert(.tooManyOrphans)
            }
        }
        return reasons
    }

    /// Returns the reasons, with those that the server tells; it is not asked if there are
    /// others.
    private func reasonsOfServer(
        about collection: StoredCollection?
    ) async throws -> Set<IncompletenessReason> {
        var reasons = collection.map(reasons(about:)) ?? []
        guard reasons.isEmpty else { return reasons }
        if policy.requiresValidators { reasons = try await validatePages() }
        if reasons.isEmpty, try await !confirmsEnd() {
            reasons.insert(.changedPage)
        }
        return reasons
    }

    /// Validates all pages of the walk, which proves that they are parts of one state of the list.
    private func validatePages() async throws -> Set<IncompletenessReason> {
        let pages = try await collections.pages(of: recorder.request)
        // A single response is one state of the list.
        if pages.count <= 1, pager.end == nil { return [] }
        if pages.contains(where: \.validators.isEmpty) { return [.missingValidator] }
        let walked = WalkedPages(pages, of: recorder.request, recorder.pagination)
        for (index, page) in pages.enumerated() {
            try Task.checkCancellation()
            do {
                let isLast = index == pages.count - 1
                guard try await isUnchanged(page, isLast: isLast, walked) else {
                    return [.changedPage]
                }
            } catch let error as NetworkingError where error.code == .transportFailed {
                return [.changedPage]
            }
        }
        return []
    }

    /// Returns a Boolean value that indicates whether the list still ends where the walk has ended: a
    /// server that fails can answer with an empty page.
    private func confirmsEnd() async throws -> Bool {
        do {
            return try await pager.confirmsEnd()
        } catch let error as NetworkingError {
            try Task.checkCancellation()
            if error.code == .transportFailed { return false }
            throw error
        }
    }

    /// Returns a Boolean value that indicates whether the server still has a page, with the same page
    /// after it.
    private func isUnchanged(
        _ page: StoredPage, isLast: Bool, _ pages: WalkedPages
    ) async throws -> Bool {
        guard let url = try? HTTPURL(parsing: page.url) else { return false }
        var request = firstRequest
        request.transportRequest.url = url
        request.transportRequest.usesCache = false
        if !isLast || pages.pagination.isDecidedByBody {
            var conditional = request
            let validators = page.validators.httpValidators
            conditional.transportRequest = request.transportRequest.validating(validators)
            let head = try await manager.head(ofResponseTo: conditional)
            guard head.status == .notModified, validators.areConfirmed(by: head.headerFields) else {
                return false
            }
            // Without its header fields, a response does not tell which page follows.
            if let isUnchanged = pages.isUnchanged(page, by: head) { return isUnchanged }
        }
        // Validators do not cover the header fields, so that the page is sent again.
        let head = try await manager.head(ofResponseTo: request)
        return head.status.kind == .successful && page.validators.areRepeated(in: head)
            && pages.pagination.headerValues(in: head).map(WalkedPages.digest) == page.facts.fields
    }
}
