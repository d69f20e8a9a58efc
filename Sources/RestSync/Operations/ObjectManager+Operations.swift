// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestMapping
public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Returns an operation that imports objects into a store, without enqueueing it.
    ///
    /// ```swift
    /// let operation = try api.operation(for: ManagedRequest(at: "articles"), into: store)
    /// try api.enqueue(operation)
    /// let result = try await operation.value
    /// let articles = try context.objects(with: result.objectIDs)
    /// ```
    ///
    /// The objects are imported in one transaction, by the response descriptors that match. The
    /// operation is of the newest kind that is registered for the destination
    /// ``/RestNetworking/OperationDestination/store`` and can process the request. If the operation is
    /// cancelled before the import is saved, the store is unchanged. The operation and its copies belong to the
    /// content of the store when it is created: after a reset of the store they send nothing and fail. A copy
    /// has all options but `willSave`, which belongs to one import.
    ///
    /// - Parameters:
    ///   - request: The request, and the treatment of its response.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    /// - Returns: The operation.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled or the options
    ///   need a context, ``SyncError`` with code ``SyncError/Code/noStore``.
    public func operation(
        for request: ManagedRequest, into store: ManagedObjectStore? = nil
    ) throws -> ObjectRequestOperation<ManagedResult> {
        try operation(for: request, into: destination(store).content)
    }

    /// Returns an operation that imports objects into a context, without enqueueing it.
    ///
    /// ```swift
    /// let operation = try api.operation(for: ManagedRequest(at: "articles"), in: store.mainContext)
    /// try api.enqueue(operation)
    /// let articles = try await store.mainContext.objects(Article.self, with: operation.value.objectIDs)
    /// ```
    ///
    /// The response is imported on the actor on which this function is called, because only this one may
    /// change the context. Nobody has to wait for it, and the operation executes until the import has ended.
    /// Copies import into the same context.
    ///
    /// - Parameters:
    ///   - request: The request, and the treatment of its response.
    ///   - target: The object that a single representation in the response updates; `nil` for none. Its
    ///     context is `context`.
    ///   - context: A context of the caller.
    ///   - isolation: The actor of the caller. Outside of an actor, a context belongs to a task; use a call
    ///     that the task awaits, such as ``getObjects(_:at:parameters:keyPath:in:configure:)``.
    /// - Returns: The operation, of the same kind as ``operation(for:into:)``.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled, or the caller is not
    ///   on an actor.
    /// - Source: `RKManagedObjectRequestOperation`.
    public func operation(
        for request: ManagedRequest, updating target: ManagedObject? = nil,
        in context: ManagedObjectContext, isolation: isolated (any Actor)? = #isolation
    ) throws(NetworkingError) -> ObjectRequestOperation<ManagedResult> {
        let owned = try IsolatedValue(
            context, isolation: isolation,
            alternative:
                "await a call, such as 'api.getObjects(_:at:in:)', or name a store by 'into:'")
        let (assembled, requested) = try assembleManaged(request, updating: target, in: context)
        return operation(for: assembled, request.options, target: requested) {
            [self] work, report in
            try await owned.run(work, by: self, &report)
        }
    }

    /// Returns an operation for a request with a managed object, without enqueueing it.
    ///
    /// The response is imported into the object's own context, on the actor of the caller, and updates the
    /// object, unless the resource is a relationship of it. The manager needs neither descriptors nor a store.
    /// A PATCH request has the differences to the stored object, and is also sent if there are none.
    ///
    /// - Parameters:
    ///   - object: The object. The owner of a relationship is not sent.
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource; by default the route of the object's type.
    ///   - configure: Sets further properties of the request and the treatment of its response.
    ///   - isolation: The actor of the caller.
    /// - Returns: The operation.
    /// - Throws: The errors of ``operation(for:updating:in:isolation:)``;
    ///   ``/RestPersistence/PersistenceError`` if an object of PATCH cannot be read.
    /// - Source: `appropriateObjectRequestOperationWithObject:method:path:parameters:` of `RKObjectManager`.
    public func operation(
        for object: ManagedObject, method: HTTPRequest.Method? = nil,
        at target: some RequestTargetConvertible = .object,
        configure: (inout ManagedRequest) throws -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) throws -> ObjectRequestOperation<ManagedResult> {
        let (target, hasObject) = target.requestTarget.filled(by: object)
        var request =
            hasObject
            ? try managedRequest(method, to: target, object) : ManagedRequest(method, at: target)
        try configure(&request)
        return try operation(
            for: request, updating: hasObject ? object : nil, in: object.managedObjectContext,
            isolation: isolation)
    }

    /// Returns an operation that imports objects into the content of a store.
    func operation(
        for request: ManagedRequest, expecting expected: ResponseDescriptor? = nil,
        into store: StoreContent
    ) throws(NetworkingError) -> ObjectRequestOperation<ManagedResult> {
        try checkSaving(request.options)
        let assembled = try assembleManaged(
            request.request, target: nil, request.options, expecting: expected
        ) { store.collectionReader }
        return operation(for: assembled, request.options) { [self] work, report in
            try await run(work, into: .store(store), &report)
        }
    }

    private func operation(
        for request: AssembledRequest<ObjectResponse>, _ options: ManagedRequestOptions,
        target: RequestedObject? = nil,
        running run:
            @escaping @Sendable (ResponseImport, inout MappingReport) async throws -> ManagedResult
    ) -> ObjectRequestOperation<ManagedResult> {
        var optionsOfCopies = options
        optionsOfCopies.willSave = nil
        return operation(
            for: request,
            importing: { [self] response, report in
                try await run(responseImport(of: response, options, target: target), &report)
            },
            copies: { [self, optionsOfCopies] response, report in
                try await run(
                    responseImport(of: response, optionsOfCopies, target: target), &report)
            })
    }
}
