// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestMapping
package import RestNetworking
package import RestPersistence
package import RestTransport

/// The outbox of a manager, through which the requests of the objects go that it sends.
package protocol ObjectOutbox: AnyObject, Sendable {
    /// Returns a Boolean value that indicates whether a request with an object goes through the outbox.
    func sends(_ method: HTTPRequest.Method, _ object: ManagedObject) -> Bool

    /// Sends what was saved of an object, and returns when the server has answered.
    ///
    /// - Throws: The error of a refused request.
    func send(_ id: ManagedObjectID) async throws
}

extension ObjectManager {
    /// The outbox of the manager; `nil` for none.
    package var outbox: (any ObjectOutbox)? {
        get { managedConfiguration.outbox() }
        set { configure { $0.managed.outbox = { [weak newValue] in newValue } } }
    }

    /// Sends a request with an object through the outbox of the manager: its changes are saved, with those of
    /// its context, and then sent.
    ///
    /// - Returns: The result; `nil` if the outbox does not send the object.
    func sendByOutbox(
        _ method: HTTPRequest.Method, _ object: ManagedObject
    ) async throws -> ManagedResult? {
        guard let outbox, outbox.sends(method, object) else { return nil }
        let (context, id) = (object.managedObjectContext, object.objectID)
        if method == .delete { context.delete(object) }
        _ = try await context.saveToStore()
        try await outbox.send(id)
        var result = ManagedResult(url: baseURL)
        if method != .delete { result.objectIDs = [id] }
        return result
    }

    // MARK: Frozen requests

    /// Returns a request of the outbox as bytes.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The resource.
    ///   - object: The object with the values to send.
    ///   - base: The object with the values that the server has; `nil` to send all values.
    ///   - configure: Sets further properties of the request.
    /// - Returns: The request, without credentials.
    /// - Throws: ``/RestNetworking/NetworkingError`` if it cannot be assembled; the error of `configure`.
    package func outboxRequest(
        _ method: HTTPRequest.Method, at target: RequestTarget, _ object: ManagedObject,
        since base: ManagedObject?,
        configure: (inout ObjectRequest<ObjectResponse>) throws -> Void = { _ in }
    ) throws -> TransportRequest {
        var request = ObjectRequest<ObjectResponse>(
            method, at: target, object: object.requestObject)
        request.base = base?.requestObject
        try configure(&request)
        return try assemble(request).transportRequest
    }

    /// Returns the attributes of the object in a response, by name, with the values that an import would write;
    /// `nil` if the response does not have one object that can be mapped.
    package func attributes(
        of response: ObjectResponse, in model: ManagedObjectModel
    ) -> [String: StoredValue]? {
        let work = ResponseImport(response: response, options: ManagedRequestOptions())
        guard response.matches.count == 1, let match = response.matches.first,
            let plan = try? work.plan(of: match, in: model)
        else { return nil }
        return try? MappedRepresentation(match.representation, by: plan, in: match.environment)
            .attributesOfOnlyObject()
    }

    /// Sends a request of the outbox, and imports the response in the transaction that records its answer.
    ///
    /// The transaction that has frozen a request that changes the server has checked the content of the store.
    ///
    /// - Parameters:
    ///   - request: The request with the bytes of its first send.
    ///   - target: The object of the request; `nil` if its row is deleted, so that the body says nothing.
    ///   - type: The class of the object.
    ///   - content: The content of the store.
    ///   - imports: Returns a Boolean value that indicates whether the body of a successful response has the object.
    ///   - record: Performs the action of a response that is not imported; `nil` for a transaction that it may share.
    ///   - action: Returns what the outbox does in the transaction, for the response.
    /// - Throws: ``/RestNetworking/NetworkingError`` of the request, before anything is recorded;
    ///   ``/RestPersistence/PersistenceError`` if the answer cannot be recorded.
    package func sendFrozen(
        _ request: TransportRequest, of target: ManagedObjectID?, as type: any ManagedEntity.Type,
        into content: StoreContent,
        importing imports: @escaping @Sendable (ObjectResponse) -> Bool = { _ in true },
        recording record: (@Sendable (any SaveAction) async throws -> Void)? = nil,
        action: @escaping @Sendable (ObjectResponse) -> any SaveAction
    ) async throws {
        var expected = Self.defaultDescriptor(for: type)
        expected.admitsOtherTypes = true
        let collections = content.collectionReader
        var options = ManagedRequestOptions()
        options.deletesOrphanedObjects = false
        options.storesCollection = false
        var assembled = try assembleManaged(
            ObjectRequest<ObjectResponse>(
                request.method, at: request.url.requestText, expecting: expected),
            target: target, options
        ) { collections }
        assembled.transportRequest = request
        assembled.located = locatedObject(
            of: type, try? content.database.model.layout(named: type.properties.name),
            createdBy: assembled)
        if !request.method.isSafe {
            assembled.makeInterceptor = {
                RequestMomentInterceptor(collections: collections, checksContent: false)
            }
        }
        if request.method == .delete {
            assembled.acceptedStatusCodes = [404, 410]
            assembled.ignoresUnreadableBody = true
        }
        let (sent, imported) = (assembled, options)
        try await perform(sent, into: .store) { response in
            // A response without a document says nothing of the rows.
            guard let target, response.document != nil, imports(response) else {
                let action = action(response)
                if let record { return try await record(action) }
                return try await content.perform(action)
            }
            do {
                try await map(response) { response, report in
                    var work = try responseImport(of: response, imported)
                    work.target = target
                    work.action = action(response)
                    _ = try await run(work, into: .store(content), &report)
                }
            } catch let error where !(error is CancellationError) {
                // The server has executed the request, whatever the body is and the store can save.
                try await content.perform(action(response))
            }
        }
    }
}
