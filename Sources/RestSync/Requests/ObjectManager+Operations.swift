// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Returns an operation that imports objects into a store, without enqueueing it.
    ///
    /// ```swift
    /// let operation = try api.managedOperation(
    ///     for: ObjectRequest<ObjectResponse>(to: .path("articles")), into: store)
    /// try api.enqueue(operation)
    /// let result = try await operation.value
    /// let articles = try context.objects(with: result.objectIDs)
    /// ```
    ///
    /// The objects are imported in one transaction, by the response descriptors that match. The
    /// operation is of the newest kind that is registered for the destination
    /// ``/RestNetworking/OperationDestination/store`` and can process the request. If the operation is
    /// cancelled before the import begins, the store is unchanged. The operation and its copies belong to the
    /// content of the store when it is created: after a reset of the store they send nothing and fail.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - options: The treatment of the response.
    /// - Returns: The operation.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled or the options
    ///   need a context, ``SyncError`` with code ``SyncError/Code/noStore``.
    public func managedOperation(
        for request: ObjectRequest<ObjectResponse>, into store: ManagedObjectStore? = nil,
        options: ManagedRequestOptions = ManagedRequestOptions()
    ) throws -> ObjectRequestOperation<ManagedResult> {
        try checkSaving(options)
        let store = try destination(store).content
        let assembled = try assembleManaged(request, target: nil, options) {
            store.collectionReader
        }
        return operation(for: assembled, into: .store) { [self] response, report in
            try await importResponse(response, options, into: store, &report)
        }
    }
}
