// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestNetworking
public import RestPersistence

/// Operations that were enqueued together, and whose responses are imported into a context.
///
/// Not Sendable, as the operations belong to their context. The ``batch`` is.
public struct ManagedOperationBatch {
    /// The operations, in the order in which they were enqueued.
    public let operations: [ManagedObjectRequestOperation]

    /// The operations that send the requests, as the sequence of their progress.
    public let batch: OperationBatch<ObjectResponse>

    /// Cancels all operations whose responses were not imported yet.
    public func cancel() {
        for operation in operations { operation.cancel() }
    }

    /// Imports the responses in the order of the requests, as they arrive.
    ///
    /// If the task that waits is cancelled, it cancels the operations.
    ///
    /// - Parameter progress: A closure that is called after each import, in the caller's isolation.
    /// - Returns: The result of each operation, in the order in which they were enqueued; for a failed one
    ///   the error of ``ManagedObjectRequestOperation/value``.
    public func results(
        progress: (Progress) -> Void = { _ in }
    ) async -> [Result<ManagedResult, any Error>] {
        var results: [Result<ManagedResult, any Error>] = []
        for operation in operations {
            do {
                results.append(.success(try await operation.value))
            } catch {
                results.append(.failure(error))
            }
            progress(
                Progress(
                    operation: operation, finishedCount: results.count,
                    totalCount: operations.count))
        }
        return results
    }

    /// The state of a batch after one of its responses was imported, or its operation failed.
    public struct Progress {
        /// The operation.
        public let operation: ManagedObjectRequestOperation

        /// The number of operations that have ended, from 1 to ``totalCount``.
        public let finishedCount: Int

        /// The number of operations in the batch.
        public let totalCount: Int
    }
}

@available(*, unavailable)
extension ManagedOperationBatch: Sendable {}

@available(*, unavailable)
extension ManagedOperationBatch.Progress: Sendable {}

extension ObjectManager {
    /// Enqueues a request for each of several managed objects.
    ///
    /// Each object is the target of its operation, as for ``managedOperation(for:updating:in:)``, unless the
    /// resource is a relationship. A PATCH request has the differences to the stored object, and is also sent
    /// if there are none.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - objects: The objects. The owners of a relationship are not sent.
    ///   - target: The resource of each object; by default the route of its type.
    ///   - configure: Sets further properties of a request and the treatment of its response.
    ///   - isolation: The isolation of the caller, in which the responses are imported.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: ``/RestNetworking/NetworkingError`` if a request cannot be assembled,
    ///   ``/RestPersistence/PersistenceError`` if an object of PATCH cannot be read. Nothing is then
    ///   enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:`.
    public func enqueueBatch(
        _ method: HTTPRequest.Method? = nil, objects: [ManagedObject],
        at target: some RequestTargetConvertible = .object,
        configure: (inout ManagedRequest) throws -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) throws -> ManagedOperationBatch {
        let operations = try objects.map { object in
            let (target, hasObject) = target.requestTarget.filled(by: object)
            var request =
                hasObject
                ? try managedRequest(method, to: target, object)
                : ManagedRequest(method, at: target)
            try configure(&request)
            return try managedOperation(
                for: request, updating: hasObject ? object : nil,
                in: object.managedObjectContext)
        }
        return try enqueueBatch(of: operations, isolation: isolation)
    }

    /// Enqueues requests whose responses are imported into a context, as a batch.
    ///
    /// - Parameters:
    ///   - requests: The requests, and the treatment of their responses.
    ///   - context: A context of the caller.
    ///   - isolation: The isolation of the caller, in which the responses are imported.
    /// - Returns: The batch.
    /// - Throws: ``/RestNetworking/NetworkingError`` if a request cannot be assembled. Nothing is then
    ///   enqueued.
    public func enqueueBatch(
        of requests: [ManagedRequest], in context: ManagedObjectContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws(NetworkingError) -> ManagedOperationBatch {
        var operations: [ManagedObjectRequestOperation] = []
        for request in requests {
            operations.append(try managedOperation(for: request, in: context))
        }
        return try enqueueBatch(of: operations, isolation: isolation)
    }

    /// Enqueues requests whose responses are imported into a store, as a batch.
    ///
    /// - Parameters:
    ///   - requests: The requests, and the treatment of their responses.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    /// - Returns: The batch, as the sequence of its progress.
    /// - Throws: The errors of ``managedOperation(for:into:)``. Nothing is then enqueued.
    @discardableResult
    public func enqueueBatch(
        of requests: [ManagedRequest], into store: ManagedObjectStore? = nil
    ) throws -> OperationBatch<ManagedResult> {
        try enqueueBatch(of: try requests.map { try managedOperation(for: $0, into: store) })
    }

    private func enqueueBatch(
        of operations: [ManagedObjectRequestOperation], isolation: isolated (any Actor)?
    ) throws(NetworkingError) -> ManagedOperationBatch {
        let batch = OperationBatch(operations.map(\.operation))
        for operation in operations { try enqueue(operation, isolation: isolation) }
        return ManagedOperationBatch(operations: operations, batch: batch)
    }
}
