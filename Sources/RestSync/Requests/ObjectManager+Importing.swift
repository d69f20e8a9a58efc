// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

// All imports of responses go through these functions.

extension ObjectManager {
    /// Returns a request as bytes, whose response may say that the objects are not modified or that
    /// the object is gone.
    func assembleManaged(
        _ request: ObjectRequest<ObjectResponse>, target: ManagedObjectID?
    ) throws(NetworkingError) -> AssembledRequest<ObjectResponse> {
        var assembled = try assemble(request)
        switch assembled.transportRequest.method {
        case .get:
            assembled.acceptedStatusCodes = [304]
        case .delete where target != nil:
            assembled.acceptedStatusCodes = [404, 410]
            assembled.ignoresUnreadableBody = true
        default: break
        }
        return assembled
    }

    /// Sends a request and imports its response into a store.
    func send(_ request: ManagedRequest, into store: ManagedObjectStore) async throws
        -> ManagedResult
    {
        try checkSaving(request.options)
        let assembled = try assembleManaged(request.request, target: nil)
        let response = try await response(to: assembled)
        return try await importResponse(response, request.options, into: store)
    }

    /// Sends a request and imports its response into a context.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The object that the request is about; `nil` if there is none.
    ///   - context: The context.
    /// - Returns: The IDs of the objects, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError``, ``SyncError`` or `CancellationError`.
    func send(
        _ request: ManagedRequest, target: ManagedObjectID? = nil,
        in context: ManagedObjectContext
    ) async throws -> ManagedResult {
        let assembled = try assembleManaged(request.request, target: target)
        let response = try await response(to: assembled)
        return try await importResponse(response, request.options, target: target, in: context)
    }

    /// Imports a response into a store, in one transaction.
    func importResponse(
        _ response: ObjectResponse, _ options: ManagedRequestOptions,
        into store: ManagedObjectStore
    ) async throws -> ManagedResult {
        try await map(response) { response, report in
            try await importResponse(response, options, into: store, &report)
        }
    }

    /// Imports a response into a store, and adds issues and counts to a report.
    func importResponse(
        _ response: ObjectResponse, _ options: ManagedRequestOptions,
        into store: ManagedObjectStore, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        try await run(responseImport(of: response, options), into: store, &report)
    }

    /// Runs an import in a store.
    func run(
        _ work: ResponseImport, into store: ManagedObjectStore, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        let imported = managedConfiguration.importedResponses
        if work.isNotModified(in: store.storeToken, imported) {
            return try await store.read { try work.unmodifiedResult(in: $0) }
        }
        let mapped = try await work.mapped(in: store.model)
        let (result, token) = try await store.write { context in
            (try work.run(mapped, in: context), context.storeToken)
        }
        work.recordSave(to: token, imported)
        report.add(result.report)
        return result
    }

    /// Imports a response into a context, and saves the context to the store if the options say so.
    func importResponse(
        _ response: ObjectResponse, _ options: ManagedRequestOptions,
        target: ManagedObjectID? = nil, in context: ManagedObjectContext
    ) async throws -> ManagedResult {
        try await map(response) { response, report in
            let work = try responseImport(of: response, options, target: target)
            return try await run(work, in: context, &report)
        }
    }

    /// Runs an import in a child of a context, and saves the context to the store if the options say
    /// so.
    func run(
        _ work: ResponseImport, in context: ManagedObjectContext, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        let imported = managedConfiguration.importedResponses
        if work.isNotModified(in: context.storeToken, imported) {
            return try await context.performChild { try work.unmodifiedResult(in: $0) }
        }
        let mapped = try await work.mapped(in: context.model)
        var result: ManagedResult
        do {
            if work.options.savesToPersistentStore {
                let saved = try await context.performChildAndSave { context in
                    try work.run(mapped, in: context)
                }
                result = saved.0
                result.changes = saved.1
                work.recordSave(to: context.storeToken, imported)
            } else {
                result = try await context.performChild { try work.run(mapped, in: $0) }
            }
        } catch let error as PersistenceError {
            throw work.saveError(error)
        }
        report.add(result.report)
        return result
    }

    /// Returns the import of a response, with the fetch requests for its URL.
    ///
    /// - Throws: ``/RestNetworking/NetworkingError`` for a response that was not modified if there are
    ///   no fetch requests to answer it.
    func responseImport(
        of response: ObjectResponse, _ options: ManagedRequestOptions,
        target: ManagedObjectID? = nil
    ) throws(NetworkingError) -> ResponseImport {
        let isGet = response.request.method == .get
        let rules = options.fetchRequestRules ?? fetchRequestRules
        let requests = isGet ? fetchRequests(for: response, by: rules) : []
        if response.head.status == .notModified, requests.isEmpty {
            throw response.error(
                .unexpectedStatus, stage: .response,
                causes: [
                    "the response was not modified, and no fetch request for its URL was added"
                ])
        }
        return ResponseImport(
            response: response, options: options, target: target, fetchRequests: requests)
    }

    func checkSaving(_ options: ManagedRequestOptions) throws(NetworkingError) {
        guard options.savesToPersistentStore else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly,
                causes: ["objects that are not saved to the store need a context; name one by in:"])
        }
    }
}

extension ResponseImport {
    /// Returns a Boolean value that indicates whether the objects of the response are those that the
    /// store has: the server said so, or it is a stored response whose objects this manager has saved.
    func isNotModified(in store: StoreToken, _ imported: ImportedResponses) -> Bool {
        if response.head.status == .notModified { return true }
        guard !mapsAlways, !fetchRequests.isEmpty, response.origin != .network,
            let reference = response.cacheReference
        else { return false }
        return imported.contains(reference, savedTo: store)
    }

    /// Records that the objects of the response were saved.
    func recordSave(to store: StoreToken, _ imported: ImportedResponses) {
        guard response.request.method == .get, let reference = response.cacheReference else {
            return
        }
        imported.insert(reference, savedTo: store)
    }

    /// Returns the error of a failed save; for a DELETE of an object that the server does not have, the
    /// error of the response.
    func saveError(_ error: PersistenceError) -> any Error {
        let error = SyncError(.saveFailed, response, error)
        if response.head.status.kind == .successful { return error }
        return response.error(
            .unexpectedStatus, stage: .response,
            causes: ["the object could not be deleted from the store"], underlying: error)
    }
}
