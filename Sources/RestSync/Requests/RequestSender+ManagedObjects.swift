// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
import RestMapping
public import RestNetworking
public import RestPersistence
public import RestTransport

extension RequestSender {
    /// Sends a request with a managed object, and imports the response into the object's context.
    ///
    /// ```swift
    /// let airport = try Airport.insert(into: context, code: "OSL", name: "Oslo")
    /// try await api.post(airport)
    /// airport.name = "Gardermoen"
    /// try await api.patch(airport)        // {"name":"Gardermoen"}
    /// try await api.delete(airport)
    /// ```
    ///
    /// A representation of a single object updates the object, whatever its identity. It may be new;
    /// a response without a body then saves it as it is. All response descriptors that match are
    /// mapped, or the default mapping of the object's class if none is for the class. A response of
    /// failure changes neither the object nor the store.
    ///
    /// A PATCH request sends a merge patch (RFC 7396) with what differs from the values in the store,
    /// or the whole object if the store does not contain it. If nothing differs, no request is sent,
    /// and the values that the request would have had are saved.
    ///
    /// A DELETE request deletes the object if the response is a success, whatever its body, or if the
    /// server does not have the object any more (404 and 410).
    ///
    /// The values that were sent are then saved to the store, whose values they replace, unless
    /// ``ManagedRequestOptions/savesToPersistentStore`` is `false`. Values that were set after the request
    /// was sent, edits of properties that it does not contain, and edits of other objects stay unsaved;
    /// a value that was set and saved since stays in the store. A new object is saved with all its values.
    ///
    /// Requests of a manager that write one object are sent one after the other, in the order of the calls:
    /// each is assembled when the response to the one before it is saved. Operations do not wait, and neither
    /// does a request that is sent within another one.
    ///
    /// If the manager has an outbox that sends the object, and nothing but the object is given, the request is
    /// one of the outbox: the changes of the context are saved and become an entry, which is sent at once. See
    /// `Outbox`.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object; for DELETE,
    ///     those of the query.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    /// - Returns: The IDs of the objects in the response.
    /// - Throws: ``/RestNetworking/NetworkingError`` for the request, the response and the mapping,
    ///   ``SyncError`` for the store, with code ``SyncError/Code/importFailed`` if another context or
    ///   program has deleted the object, or `CancellationError`. If the deletion is known, nothing is
    ///   sent. The object, its context and the store are then unchanged.
    /// - Isolation: Parsing, mapping and saving run outside of the caller's isolation.
    @discardableResult
    public func callAsFunction(
        _ object: ManagedObject, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil
    ) async throws -> ManagedResult {
        let target = target.requestTarget
        if target.isOfObject, parameters.isAbsent, keyPath == nil,
            let result = try await manager.sendByOutbox(method, object)
        {
            return result
        }
        return try await callAsFunction(
            object, at: target, parameters: parameters, keyPath: keyPath, configure: { _ in })
    }

    /// Sends a request with a managed object that the caller configures, and imports the response into
    /// the object's context.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object; for DELETE,
    ///     those of the query.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in the response.
    /// - Throws: The errors of ``callAsFunction(_:at:parameters:keyPath:)``, and those of `configure`.
    @discardableResult
    public func callAsFunction(
        _ object: ManagedObject, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ManagedRequest) throws -> Void
    ) async throws -> ManagedResult {
        try await callAsFunction(
            object, at: target, parameters: parameters, keyPath: keyPath, configure: configure,
            form: nil)
    }

    // The following functions have no default arguments for their closures: the compiler would prefer the
    // forms without a result, or take a closure without a label for the wrong one.

    /// Sends a request with a managed object and the parts of a multipart form, and imports the response into the
    /// object's context.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    ///   - form: Adds parts to a multipart form, whose first fields are the object and the parameters; `nil` for
    ///     no form.
    /// - Returns: The IDs of the objects in the response.
    /// - Throws: The errors of ``callAsFunction(_:at:parameters:keyPath:)``, and those of the closures.
    @discardableResult
    public func callAsFunction(
        _ object: ManagedObject, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ManagedRequest) throws -> Void,
        form: ((inout MultipartForm) throws -> Void)?
    ) async throws -> ManagedResult {
        try await manager.managedConfiguration.turns.run(for: object.objectID) {
            try await manager.send(method, object, target, parameters, keyPath) { request in
                request.request.form = form
                try configure(&request)
            }
        }
    }

    /// Sends a multipart form with a managed object, and imports the response into the object's context.
    @discardableResult
    public func callAsFunction(
        _ object: ManagedObject, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        form: @escaping (inout MultipartForm) throws -> Void
    ) async throws -> ManagedResult {
        try await callAsFunction(
            object, at: target, parameters: parameters, keyPath: keyPath, configure: { _ in },
            form: form)
    }
}

extension ObjectManager {
    /// Sends a GET request to the route of a managed object, and updates the object.
    ///
    /// The response is imported into the object's context, as by a ``RequestSender``.
    ///
    /// - Parameters:
    ///   - object: The object whose values fill the parameters of the route.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in the response.
    /// - Throws: ``/RestNetworking/NetworkingError``, ``SyncError`` or `CancellationError`; the errors
    ///   of `configure`. The object, its context and the store are then unchanged.
    @discardableResult
    public func get(
        _ object: ManagedObject, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        try await send(.get, object, target, parameters, keyPath, configure)
    }

    /// Sends a request with a managed object, and imports the response into its context.
    fileprivate func send(
        _ method: HTTPRequest.Method, _ object: ManagedObject,
        _ target: some RequestTargetConvertible, _ parameters: RequestParameters,
        _ keyPath: DocumentPath?, _ configure: (inout ManagedRequest) throws -> Void
    ) async throws -> ManagedResult {
        let context = object.managedObjectContext
        do throws(PersistenceError) {
            try context.checkExistence(of: object)
        } catch {
            throw SyncError(.importFailed, error)
        }
        var request = try managedRequest(
            method, to: target, object, parameters, keyPath)
        try configure(&request)
        return try await send(request, updating: object, in: context)
    }

    /// Returns a request with a managed object; a PATCH request has the differences to the stored one.
    func managedRequest(
        _ method: HTTPRequest.Method?, to target: some RequestTargetConvertible,
        _ object: ManagedObject, _ parameters: RequestParameters = [:],
        _ keyPath: DocumentPath? = nil
    ) throws -> ManagedRequest {
        var request = ManagedRequest(
            ObjectRequest<ObjectResponse>(
                method, at: target, object: object.requestObject, parameters: parameters,
                keyPath: keyPath, expecting: expectedDescriptor(of: object)))
        if method == .patch {
            let context = object.managedObjectContext
            request.request.base = try context.storedObject(with: object.objectID)?.requestObject
        }
        return request
    }

    /// Saves an object whose representation is that of the store, so that no request is sent.
    func resultWithoutRequest(
        of request: ManagedRequest, _ assembled: AssembledRequest<ObjectResponse>,
        _ object: ManagedObject
    ) async throws -> ManagedResult {
        let context = object.managedObjectContext
        // All values that the request would have had, and not only those that differ.
        let (_, sent) = try context.sending(object) { () throws(NetworkingError) in
            try assemble(request.request)
        }
        var result = ManagedResult(url: assembled.transportRequest.url)
        if request.options.savesToPersistentStore {
            result.changes = try await context.performChildAndSave(sent: sent) { _ in }.1
        } else {
            context.accept(sent)
        }
        return result
    }

    /// Returns the default descriptor of an object's class, for a URL without descriptors for the class;
    /// `nil` for an entity without a class, so that all descriptors that match are used.
    private func expectedDescriptor(of object: ManagedObject) -> ResponseDescriptor? {
        guard let type = type(of: object) as? any ManagedEntity.Type else { return nil }
        var expected = Self.defaultDescriptor(for: type)
        expected.admitsOtherTypes = true
        return expected
    }
}

/// The object that a request is about.
struct RequestedObject {
    let objectID: ManagedObjectID
    /// The unsaved values that the request sends; `nil` if it sends none.
    let sent: SentChanges?

    /// Creates the object of a request, of which the context then knows that the server may have it.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - request: The request.
    ///   - sent: The unsaved values that the request contains.
    init(
        _ object: ManagedObject, sentBy request: AssembledRequest<ObjectResponse>,
        _ sent: SentChanges
    ) {
        objectID = object.objectID
        let method = request.transportRequest.method
        // Values count as in progress for as long as they are kept, so that a reading request keeps none.
        self.sent = [.post, .put, .patch].contains(method) ? sent : nil
        guard let sent = self.sent else { return }
        object.managedObjectContext.noteSending(
            of: object, sent,
            mappings: request.configuration.value.responseDescriptors.descriptors.compactMap {
                $0.mapping as? EntityMapping
            })
    }
}
