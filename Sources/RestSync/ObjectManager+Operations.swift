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
    /// ```
    ///
    /// The objects are imported in one transaction, by the response descriptors that match. The
    /// operation is of the newest kind that is registered for the destination
    /// ``/RestNetworking/OperationDestination/store`` and can process the request. If the operation is
    /// cancelled before the import begins, the store is unchanged.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - store: The store.
    /// - Returns: The operation.
    /// - Throws: ``/RestNetworking/NetworkingError`` if the request cannot be assembled.
    public func managedOperation(
        for request: ObjectRequest<ObjectResponse>, into store: ManagedObjectStore
    ) throws(NetworkingError) -> ObjectRequestOperation<ManagedResult> {
        try operation(for: request, into: .store) { response, report in
            try await ResponseImport.run(response, into: store, &report)
        }
    }
}
