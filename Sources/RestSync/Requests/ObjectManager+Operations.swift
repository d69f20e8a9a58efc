// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Returns an operation that imports objects into a store, without enqueueing it.
    ///
    /// ```swift
    /// let operation = try api.managedOperation(for: ManagedRequest(at: "articles"), into: store)
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
    ///   - request: The request, and the treatment of its response.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    /// - Returns: The operation.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled or the options
    ///   need a context, ``SyncError`` with code ``SyncError/Code/noStore``.
    public func managedOperation(
        for request: ManagedRequest, into store: ManagedObjectStore? = nil
    ) throws -> ObjectRequestOperation<ManagedResult> {
        try checkSaving(request.options)
        let store = try destination(store).content
        let assembled = try assembleManaged(request.request, target: nil, request.options) {
            store.collectionReader
        }
        return importOperation(for: assembled, request.options, into: store)
    }
}
