// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

/// The content of a response, mapped before the transaction that saves it.
struct MappedContent: Sendable {
    let representations: [MappedRepresentation]
    /// The digest of the document; `nil` if no collection keeps it.
    let documentDigest: String?
}

/// The import of a response into a private context: mapping, deleting, and saving.
///
/// The private context is discarded if a step fails, so that the destination is unchanged.
struct ResponseImport: Sendable {
    let response: ObjectResponse
    let options: ManagedRequestOptions
    /// The object of the request, which a single representation updates and which a DELETE deletes.
    var target: ManagedObjectID?
    /// The unsaved values that the request has sent; `nil` for none.
    var sent: SentChanges?
    /// The fetch requests for the URL of the response.
    var fetchRequests: [FetchRequest] = []
    /// Maps the plain objects of the response, which hold its entities, to verify before saving that
    /// they can be mapped; `nil` if all objects are entities.
    var validation: (@Sendable (ResponseEntities) throws -> Void)?

    /// A Boolean value that indicates whether the root of the response is a dictionary of objects.
    var isKeyed = false

    /// A Boolean value that indicates whether the response is mapped although its objects were saved,
    /// because plain objects are mapped from it; it then has no collection.
    var mapsAlways = false

    /// The stored collection that the response confirms; `nil` if there is none.
    var confirmedCollection: StoredCollection?

    /// The page of a walk that the response is; `nil` for other responses.
    var page: (recorder: WalkRecorder, response: PageResponse, date: Date)?

    /// The action of the outbox in the transaction; `nil` if the request is not one of the outbox.
    var action: (any SaveAction)?

    /// The origin of the rows; `nil` if the store does not explain rows.
    var write: ResponseWrite?

    /// Maps the response, outside of the caller's isolation and of a transaction.
    ///
    /// - Throws: ``/RestNetworking/NetworkingError`` for the mapping, ``SyncError`` for a mapping that
    ///   does not match the model.
    @concurrent
    func mapped(in model: ManagedObjectModel) async throws -> MappedContent {
        MappedContent(
            representations: try representations(in: model), documentDigest: documentDigest)
    }

    private func representations(in model: ManagedObjectModel) throws -> [MappedRepresentation] {
        do {
            return try response.matches.map { match in
                try Task.checkCancellation()
                let plan = try plan(of: match, in: model)
                do throws(MappingError) {
                    return try MappedRepresentation(
                        match.representation, by: plan, in: match.environment,
                        insidePlainObjects: validation != nil, isKeyed: isKeyed)
                } catch {
                    throw response.error(
                        .mappingFailed, stage: .mapping, path: error.path, underlying: error)
                }
            }
        } catch let error as NetworkingError {
            // The server has deleted the object, whatever the body says.
            guard isDeletion, error.code == .mappingFailed else { throw error }
            return []
        }
    }

    /// Imports the mapped response into a context and saves it.
    ///
    /// - Throws: ``SyncError`` for the store; `CancellationError`.
    func run(
        _ content: MappedContent, in context: ManagedObjectContext
    ) throws -> ManagedResult {
        var work = self
        // The object may have been saved since, as a row that another response has brought.
        work.target = target.map { context.rows.currentID(of: $0) }
        return try work.place(content, in: context)
    }

    private func place(
        _ content: MappedContent, in context: ManagedObjectContext
    ) throws -> ManagedResult {
        let fence = try fence(in: context)
        context.beginResponse(response.moment, isWrite: response.isOfWrite, action: action)
        if let sent { context.recordValues(of: sent) }
        if let result = try supersededResult(fence, in: context) { return result }
        var result = ManagedResult(url: response.url)
        let targetObject = try findTarget(in: context)
        var keptKeys: Set<Int64> = target.map { [$0.key] } ?? []
        try place(content.representations, fence, into: &result, keeping: &keptKeys, in: context)
        if isDeletion, let targetObject {
            context.delete(targetObject)
            result.countDeleted(targetObject.objectID)
        }
        if !isDeletion, response.matches.isEmpty, let target { result.objectIDs = [target] }
        try Task.checkCancellation()
        try deleteOrphans(into: &result, keeping: keptKeys, fence, in: context)
        result.objectIDs = context.withoutDeleted(result.objectIDs)
        if let validation { try validation(result.entities(in: context)) }
        result.collectionRequest = recordCollection(
            of: result, content.documentDigest, fence, in: context)
        context.setOrigin(
            .response(
                method: response.originalRequest.method.rawValue, url: response.url.redacted))
        // The changes of the hook are local ones.
        if let write { context.recordOrigin(write) }
        try wrapping(.saveFailed) { () throws(PersistenceError) in
            if let hook = options.willSave {
                do {
                    try hook(context, result.objectIDs)
                } catch {
                    throw PersistenceError(.saveRejected, underlying: error)
                }
            }
            result.changes = try context.save()
            try context.rows.performPendingAction()
        }
        return result
    }

    private func fence(in context: ManagedObjectContext) throws(SyncError) -> WriteFence? {
        let later = WriteFence(
            response.moment?.fence(ofWrite: response.isOfWrite, target: target), savedSince: sent)
        return try wrapping(.fetchFailed) { () throws(PersistenceError) in
            try context.rows.fence(
                later, answering: action == nil ? nil : target,
                sentAt: response.moment?.requestDate)
        }
    }

    /// A Boolean value that indicates whether the request deletes its object, also if a redirect leads to
    /// another resource, which the server shows in its place.
    private var isDeletion: Bool { target != nil && response.originalRequest.method == .delete }

    /// Returns the object of the request in the private context.
    private func findTarget(in context: ManagedObjectContext) throws(SyncError) -> ManagedObject? {
        guard let target else { return nil }
        return try wrapping(.importFailed) { () throws(PersistenceError) in
            try context.object(with: target)
        }
    }

    private func place(
        _ representations: [MappedRepresentation], _ fence: WriteFence?,
        into result: inout ManagedResult,
        keeping keptKeys: inout Set<Int64>, in context: ManagedObjectContext
    ) throws {
        var importOptions = ImportOptions()
        importOptions.fence = fence
        // The resource to which a deletion is redirected is not its object.
        let showsTarget = !isDeletion || response.request.method == .delete
        importOptions.target = showsTarget ? target : nil
        importOptions.requiresTarget = representations.count == 1
        importOptions.sendsNewTarget = sent?.isOfNewObject == true
        importOptions.collectsContainedKeys = deletesOrphans
        importOptions.treatsAbsentAsEmpty = options.treatsAbsentListsAsEmpty
        do {
            for imported in try context.importObjects(representations, importOptions) {
                result.add(imported)
                keptKeys.formUnion(imported.containedKeys)
            }
        } catch let error as PersistenceError {
            throw SyncError(.importFailed, response, error)
        }
    }

    func plan(
        of match: ResponseMatch, in model: ManagedObjectModel
    ) throws(SyncError) -> EntityMappingPlan {
        try wrapping(.unsuitableMapping) { () throws(PersistenceError) in
            let mapping = match.descriptor.mapping
            return try EntityMappingPlan(
                mapping as? EntityMapping ?? EntityMapping(mapping.mapping), compiled: match.plan,
                in: model, allowsPlainObjects: validation != nil)
        }
    }

    /// A Boolean value that indicates whether orphans are searched for: those of a GET request with a body
    /// and with fetch requests for its URL.
    private var deletesOrphans: Bool {
        options.deletesOrphanedObjects && !fetchRequests.isEmpty
            && response.originalRequest.method == .get && response.document != nil
    }

    private func deleteOrphans(
        into result: inout ManagedResult, keeping keptKeys: Set<Int64>, _ fence: WriteFence?,
        in context: ManagedObjectContext
    ) throws {
        guard deletesOrphans else { return }
        let deletion = OrphanDeletion(
            fetchRequests: fetchRequests, maximumShare: options.maximumOrphanShare,
            isIncomplete: result.report.droppedObjectCount > 0 || !response.origin.isFromServer
                || !response.isWholeList(treatingAbsentAsEmpty: options.treatsAbsentListsAsEmpty),
            moment: response.moment, fence: fence,
            uncertainEntities: options.treatsAbsentListsAsEmpty
                ? result.uncertainEntities
                : result.uncertainEntities.union(response.absentEntityNames))
        let outcome = try wrapping(.fetchFailed) { () throws(PersistenceError) in
            try deletion.run(keeping: keptKeys, in: context)
        }
        result.orphanIDs = outcome.deleted
        for id in outcome.deleted { result.countDeleted(id) }
        result.keptOrphanCount = outcome.keptCount
    }

    /// Returns the result of a response that was not modified: the objects of the stored collection, or
    /// without one those of the fetch requests.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - report: Receives the error of each fetch request that fails; the others answer.
    /// - Returns: The result.
    /// - Throws: ``SyncError`` if the store is closed.
    func unmodifiedResult(
        in context: ManagedObjectContext, report: (PersistenceError) -> Void
    ) throws -> ManagedResult {
        var result = ManagedResult(url: response.url)
        result.origin = origin
        var collection = confirmedCollection
        if let known = collection, isSuperseded(known.request) {
            collection = try wrapping(.fetchFailed) { () throws(PersistenceError) in
                try context.collection(of: known.request) ?? known
            }
        }
        result.collectionRequest = collection?.request
        result.fetchedAt = collection?.fetchedAt
        result.confirmedAt = collection.map { confirmationDate ?? $0.confirmedAt }
        if let collection {
            result.objectIDs = context.withoutDeleted(collection.objectIDs)
            return result
        }
        for request in fetchRequests {
            do throws(PersistenceError) {
                result.objectIDs += try context.fetchIDs(request)
            } catch {
                if error.code == .storeClosed { throw SyncError(.fetchFailed, response, error) }
                report(error)
            }
        }
        return result
    }

    private func wrapping<Result>(
        _ code: SyncError.Code, _ body: () throws(PersistenceError) -> Result
    ) throws(SyncError) -> Result {
        do throws(PersistenceError) {
            return try body()
        } catch {
            throw SyncError(code, response, error)
        }
    }
}
