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
}

// MARK: - Objects

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
        var operations: [ObjectRequestOperation<MappingResult>] = []
        for object in objects {
            let request = ObjectRequest<MappingResult>(
                method, at: .object, object: RequestObject(object))
            operations.append(try operation(for: request, updating: object))
        }
        return try enqueueBatch(of: operations)
    }

    /// Enqueues a request for each of several objects, to a resource that the object fills.
    ///
    /// ```swift
    /// try api.enqueueBatch(objects: articles, at: .route(named: "publish"))
    /// try api.enqueueBatch(.get, objects: articles, at: .relationship("comments"))
    /// ```
    ///
    /// The objects fill the parameters of the route. The responses create new objects.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - objects: The objects. The owners of a relationship are not sent.
    ///   - target: The resource.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: ``NetworkingError`` if a request cannot be assembled. Nothing is then enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:` with a named or a relationship route.
    @discardableResult @_disfavoredOverload
    public func enqueueBatch<Object: RequestContent>(
        _ method: HTTPRequest.Method? = nil, objects: [Object],
        at target: some RequestTargetConvertible
    ) throws(NetworkingError) -> OperationBatch<MappingResult> {
        var operations: [ObjectRequestOperation<MappingResult>] = []
        for object in objects {
            let (target, hasObject) = target.requestTarget.filled(by: object)
            operations.append(
                try operation(
                    for: ObjectRequest<MappingResult>(
                        method, at: target, object: hasObject ? object.requestObject : nil)))
        }
        return try enqueueBatch(of: operations)
    }
}
