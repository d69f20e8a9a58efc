// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping

extension ObjectManager {
    /// Enqueues operations as a batch.
    ///
    /// - Parameter operations: Operations that were not enqueued before.
    /// - Returns: The batch.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if an operation
    ///   was enqueued before. Nothing is then enqueued.
    @discardableResult
    public func enqueueBatch<Value>(
        of operations: [ObjectRequestOperation<Value>]
    ) throws(NetworkingError) -> OperationBatch<Value> {
        // Created first, so that it records the order in which all operations finish.
        let batch = OperationBatch(operations)
        try operationQueue.enqueue(operations.map(\.operation))
        return batch
    }

    /// Assembles requests in the caller's isolation and enqueues their operations as a batch.
    ///
    /// - Parameter requests: The requests.
    /// - Returns: The batch.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled. Nothing is then enqueued.
    @discardableResult
    public func enqueueBatch<Value>(
        of requests: [ObjectRequest<Value>]
    ) throws(NetworkingError) -> OperationBatch<Value> {
        var operations: [ObjectRequestOperation<Value>] = []
        for request in requests { operations.append(try operation(for: request)) }
        return try enqueueBatch(of: operations)
    }

    /// Enqueues requests as a batch and waits until all operations are finished.
    ///
    /// ```swift
    /// let operations = try await api.enqueueBatch(of: requests) { progress in
    ///     show(progress.finishedCount, of: progress.totalCount)
    /// }
    /// let failed = operations.filter { $0.error != nil }
    /// ```
    ///
    /// If the task that waits is cancelled, it cancels the operations.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - progress: A closure that is called for each operation that finishes, in the caller's
    ///     isolation.
    /// - Returns: The operations, in the order of the requests.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled, before anything is enqueued, or
    ///   `CancellationError`. The errors of the operations are not thrown.
    public func enqueueBatch<Value>(
        of requests: [ObjectRequest<Value>],
        progress: (OperationBatch<Value>.Progress) -> Void
    ) async throws -> [ObjectRequestOperation<Value>] {
        try await enqueueBatch(of: requests).finished(progress: progress)
    }
}

// MARK: - Routes

extension ObjectManager {
    /// Enqueues a request for each of several objects, to the route of its type.
    ///
    /// Each object is sent as by its request descriptor, fills the parameters of its route, and is
    /// the target of its operation: the response updates a copy of it, which is in the operation's
    /// value.
    ///
    /// ```swift
    /// let batch = try api.enqueueBatch(.post, objects: drafts)
    /// ```
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - objects: The objects.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled. Nothing is then enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:` with a class route.
    @discardableResult
    public func enqueueBatch<Object: Mapped & RequestContent & Sendable>(
        _ method: HTTPRequest.Method, objects: [Object]
    ) throws(NetworkingError) -> OperationBatch<MappingResult> {
        try enqueueBatch(objects) { object throws(NetworkingError) in
            try operation(
                for: ObjectRequest<MappingResult>(
                    method, to: .object, object: RequestObject(object)),
                updating: object)
        }
    }

    /// Enqueues a request for each of several objects, to a named route.
    ///
    /// The objects fill the parameters of the route. The responses create new objects.
    ///
    /// - Parameters:
    ///   - name: The name of the route, which has the request method.
    ///   - objects: The objects.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled. Nothing is then enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:` with a named route.
    @discardableResult
    public func enqueueBatch<Object: RequestContent>(
        routeNamed name: String, objects: [Object]
    ) throws(NetworkingError) -> OperationBatch<MappingResult> {
        try enqueueBatch(objects) { object throws(NetworkingError) in
            try operation(
                for: ObjectRequest<MappingResult>(
                    to: .route(named: name), object: RequestObject(object)))
        }
    }

    /// Enqueues a request for a relationship of each of several objects.
    ///
    /// The objects fill the parameters of the relationship's route. The responses create new objects.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - name: The name of the relationship.
    ///   - objects: The objects.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled. Nothing is then enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:` with a relationship route.
    @discardableResult
    public func enqueueBatch<Object: NamedValues>(
        _ method: HTTPRequest.Method, relationship name: String, of objects: [Object]
    ) throws(NetworkingError) -> OperationBatch<MappingResult> {
        try enqueueBatch(objects) { object throws(NetworkingError) in
            try operation(
                for: ObjectRequest<MappingResult>(method, to: .relationship(name, of: object)))
        }
    }

    private func enqueueBatch<Object>(
        _ objects: [Object],
        _ operation:
            (Object) throws(NetworkingError) -> ObjectRequestOperation<MappingResult>
    ) throws(NetworkingError) -> OperationBatch<MappingResult> {
        var operations: [ObjectRequestOperation<MappingResult>] = []
        for object in objects { operations.append(try operation(object)) }
        return try enqueueBatch(of: operations)
    }
}
