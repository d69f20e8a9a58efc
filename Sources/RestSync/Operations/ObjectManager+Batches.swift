// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Enqueues a request for each of several managed objects.
    ///
    /// The operations are those of ``operation(for:method:at:configure:isolation:)``.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - objects: The objects. The owners of a relationship are not sent.
    ///   - target: The resource of each object; by default the route of its type.
    ///   - configure: Sets further properties of a request and the treatment of its response.
    ///   - isolation: The actor of the caller, on which the responses are imported.
    /// - Returns: The batch, with one operation for each object, in their order.
    /// - Throws: The errors of ``operation(for:method:at:configure:isolation:)``. Nothing is then enqueued.
    /// - Source: `enqueueBatchOfObjectRequestOperationsWithRoute:`.
    @discardableResult
    public func enqueueBatch(
        _ method: HTTPRequest.Method? = nil, objects: [ManagedObject],
        at target: some RequestTargetConvertible = .object,
        configure: (inout ManagedRequest) throws -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) throws -> OperationBatch<ManagedResult> {
        var operations: [ObjectRequestOperation<ManagedResult>] = []
        for object in objects {
            operations.append(
                try operation(
                    for: object, method: method, at: target, configure: configure,
                    isolation: isolation))
        }
        return try enqueueBatch(of: operations)
    }

    /// Enqueues requests whose responses are imported into a context, as a batch.
    ///
    /// - Parameters:
    ///   - requests: The requests, and the treatment of their responses.
    ///   - context: A context of the caller.
    ///   - isolation: The actor of the caller, on which the responses are imported.
    /// - Returns: The batch.
    /// - Throws: The errors of ``operation(for:updating:in:isolation:)``. Nothing is then enqueued.
    @discardableResult
    public func enqueueBatch(
        of requests: [ManagedRequest], in context: ManagedObjectContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws(NetworkingError) -> OperationBatch<ManagedResult> {
        var operations: [ObjectRequestOperation<ManagedResult>] = []
        for request in requests {
            operations.append(try operation(for: request, in: context, isolation: isolation))
        }
        return try enqueueBatch(of: operations)
    }

    /// Enqueues requests whose responses are imported into a store, as a batch.
    ///
    /// - Parameters:
    ///   - requests: The requests, and the treatment of their responses.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    /// - Returns: The batch.
    /// - Throws: The errors of ``operation(for:into:)``. Nothing is then enqueued.
    @discardableResult
    public func enqueueBatch(
        of requests: [ManagedRequest], into store: ManagedObjectStore? = nil
    ) throws -> OperationBatch<ManagedResult> {
        try enqueueBatch(of: try requests.map { try operation(for: $0, into: store) })
    }
}
