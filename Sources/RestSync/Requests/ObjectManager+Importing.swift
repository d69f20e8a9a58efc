// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

// All imports of responses go through these functions.

extension ObjectManager {
    /// Returns a request as bytes, whose response may say that the objects are not modified or that
    /// the object is gone.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: The object that the request is about; `nil` if there is none.
    ///   - options: The treatment of the response.
    ///   - expected: The descriptor of responses of success if there are no others; `nil` for that of the
    ///     request.
    ///   - collections: Returns the reader of the collections that may answer.
    /// - Returns: The assembled request.
    /// - Throws: ``/RestNetworking/NetworkingError`` if it cannot be assembled.
    func assembleManaged(
        _ request: ObjectRequest<ObjectResponse>, target: ManagedObjectID?,
        _ options: ManagedRequestOptions, expecting expected: ResponseDescriptor? = nil,
        collections: @escaping @Sendable () -> CollectionReader
    ) throws(NetworkingError) -> AssembledRequest<ObjectResponse> {
        var assembled = try assemble(request)
        if let expected { assembled.expected = expected }
        assembled.makeInterceptor = {
            RequestMomentInterceptor(collections: collections())
        }
        switch assembled.transportRequest.method {
        case .get, .head:
            assembled.acceptedStatusCodes = [304]
            let text = managedConfiguration.mappingVersion
            assembled.makeInterceptor = { [assembled] in
                let collections = collections()
                return CollectionInterceptor(
                    collections,
                    version: MappingVersion.digest(
                        of: assembled.candidateDescriptors, model: collections.modelText,
                        text: text),
                    options, by: assembled.configuration.value.client, target: target)
            }
        case .delete where target != nil:
            assembled.acceptedStatusCodes = [404, 410]
            assembled.ignoresUnreadableBody = true
        default: break
        }
        return assembled
    }

    /// Returns a request as bytes, and its object with the unsaved values that it sends.
    func assembleManaged(
        _ request: ManagedRequest, updating object: ManagedObject?,
        in context: ManagedObjectContext
    ) throws(NetworkingError) -> (AssembledRequest<ObjectResponse>, RequestedObject?) {
        let collections = collectionReader(of: context, request.options)
        func assemble() throws(NetworkingError) -> AssembledRequest<ObjectResponse> {
            var assembled = try assembleManaged(
                request.request, target: object?.objectID, request.options
            ) { collections }
            if let type = object.flatMap({ type(of: $0) as? any ManagedEntity.Type }) {
                assembled.located = locatedObject(
                    of: type, object?.objectID.layout, createdBy: assembled)
            }
            return assembled
        }
        guard let object else { return (try assemble(), nil) }
        let (assembled, sent) = try object.managedObjectContext.sending(
            object, onlyChanges: request.request.base != nil, assemble)
        return (assembled, RequestedObject(object, sentBy: assembled, sent))
    }

    /// Returns the way to learn the identity of the object that a request creates; `nil` if it creates none, or
    /// if its identity is neither a number nor a text.
    func locatedObject<Object: ManagedEntity>(
        of type: Object.Type, _ layout: EntityLayout?,
        createdBy request: AssembledRequest<ObjectResponse>
    ) -> LocatedObject? {
        let table = type.properties
        guard request.transportRequest.method == .post, table.identity.count == 1 else {
            return nil
        }
        let identity = table.properties[table.identity[0]]
        guard let path = try? DocumentPath(parsing: identity.source.description),
            let layout, let column = layout.identity.first,
            case let kind = layout.columns[column].type.kind,
            [.integer, .unsignedInteger, .text, .uuid].contains(kind)
        else { return nil }
        return LocatedObject(
            type, parameter: identity.name, path: path,
            isNumber: kind == .integer || kind == .unsignedInteger,
            among: request.configuration.value.router.routes)
    }

    /// Returns the reader of the collections that may answer a request.
    ///
    /// If orphans may be deleted, or the objects are not saved, its moment has the unsaved changes, which a
    /// later change then copies.
    func collectionReader(
        of context: ManagedObjectContext, _ options: ManagedRequestOptions
    ) -> CollectionReader {
        var reader = context.collectionReader
        let rules = options.fetchRequestRules ?? fetchRequestRules
        if options.deletesOrphanedObjects && !rules.isEmpty || !options.savesToPersistentStore {
            reader.moment = context.moment
        }
        return reader
    }

    /// Sends a request and imports its response into a store.
    func send(
        _ request: ManagedRequest, expecting expected: ResponseDescriptor? = nil,
        into store: StoreContent
    ) async throws -> ManagedResult {
        try await operation(for: request, expecting: expected, into: store).call().value
    }

    /// Sends a request and imports its response into a context.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - object: The object that the request is about; `nil` if there is none. If it has no changes that
    ///     the request is to send, they are saved without a request.
    ///   - context: The context.
    /// - Returns: The IDs of the objects, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError``, ``SyncError`` or `CancellationError`.
    func send(
        _ request: ManagedRequest, updating object: ManagedObject? = nil,
        in context: ManagedObjectContext
    ) async throws -> ManagedResult {
        let (assembled, target) = try assembleManaged(request, updating: object, in: context)
        if let object, assembled.isWithoutChanges {
            return try await resultWithoutRequest(of: request, assembled, object)
        }
        return try await perform(assembled, into: .store) { response in
            try await map(response) { response, report in
                try await run(
                    responseImport(of: response, request.options, target: target),
                    into: .context(context), &report)
            }
        }
    }

    /// Runs an import, and saves its changes to the store if the options say so.
    func run(
        _ work: ResponseImport, into destination: ImportDestination, _ report: inout MappingReport
    ) async throws -> ManagedResult {
        let work = await work.confirming()
        defer { work.response.moment?.endRequest() }
        let collections = destination.collections
        if work.isNotModified {
            do {
                if work.recordsConfirmation(in: collections) {
                    try await collections.write { try work.saveConfirmation(in: $0) }
                }
                return try await destination.read { context in
                    try work.unmodifiedResult(in: context) { logFailure($0, of: work) }
                }
            } catch let error as PersistenceError {
                throw SyncError(.fetchFailed, work.response, error)
            }
        }
        logWarnings(of: destination.model)
        let mapped = try await work.mapped(in: destination.model)
        let explained = explaining(work, in: collections)
        do {
            let result = try await destination.write(of: work) { try explained.run(mapped, in: $0) }
            report.add(result.report)
            return result
        } catch let error as PersistenceError {
            throw work.saveError(error)
        }
    }

    /// Returns an import with the origin of its rows, if the store explains rows.
    private func explaining(_ work: ResponseImport, in reader: CollectionReader) -> ResponseImport {
        guard reader.explainsRows else { return work }
        let response = work.response
        var work = work
        work.write = ResponseWrite(
            method: response.request.method.rawValue, url: response.url.requestText,
            status: response.head.status.code,
            mappingVersion: MappingVersion.digest(
                of: response.matches.map(\.descriptor), model: reader.modelText,
                text: mappingVersion),
            at: client.clock.date)
        return work
    }

    /// Returns the import of a response, with the fetch requests for its URL.
    ///
    /// - Throws: ``/RestNetworking/NetworkingError`` for a response that was not modified if there are
    ///   neither fetch requests nor a collection to answer it.
    func responseImport(
        of response: ObjectResponse, _ options: ManagedRequestOptions,
        target: RequestedObject? = nil
    ) throws(NetworkingError) -> ResponseImport {
        let isGet = [.get, .head].contains(response.originalRequest.method)
        let rules = options.fetchRequestRules ?? fetchRequestRules
        let requests = isGet ? fetchRequests(for: response, by: rules) : []
        let work = ResponseImport(
            response: response, options: options, target: target?.objectID, sent: target?.sent,
            fetchRequests: requests)
        if response.head.status == .notModified, requests.isEmpty, work.storedCollection == nil {
            throw response.error(
                .unexpectedStatus, stage: .response,
                causes: [
                    "the response was not modified, the store has no collection of the request, and "
                        + "no fetch request for its URL was added"
                ])
        }
        return work
    }

    /// Logs that a fetch request does not take part in the answer to an unmodified response.
    private func logFailure(_ error: PersistenceError, of work: ResponseImport) {
        log("a fetch request for an unmodified response failed", error, of: work.response)
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
    /// Returns a Boolean value that indicates whether the confirmation of a collection is written, or a
    /// response to another request in progress may be older.
    func recordsConfirmation(in reader: CollectionReader) -> Bool {
        confirmation != nil || reader.hasRequests(besides: response.moment)
    }

    /// Saves that the response confirms a collection.
    func saveConfirmation(in context: ManagedObjectContext) throws {
        guard let collection = confirmedCollection, !isSuperseded(collection.request) else {
            return
        }
        context.beginResponse(response.moment, isWrite: false)
        if confirmationDate != nil { context.recordResponse(of: collection.request) }
        if let confirmation { context.record(confirmation) }
        do throws(PersistenceError) {
            try context.save()
        } catch {
            throw SyncError(.saveFailed, response, error)
        }
    }

    /// Returns the error of a failed save; for a DELETE of an object that the server does not have, the
    /// error of the response.
    func saveError(_ error: PersistenceError) -> any Error {
        let error = SyncError(.saveFailed, response, error)
        if response.head.status.kind == .successful
            || response.originalRequest.method != .delete
        {
            return error
        }
        return response.error(
            .unexpectedStatus, stage: .response,
            causes: ["the object could not be deleted from the store"], underlying: error)
    }
}
