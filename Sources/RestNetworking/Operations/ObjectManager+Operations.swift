// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping
public import RestTransport

extension RequestObject {
    /// A Boolean value that indicates whether the content is one managed object.
    var isManaged: Bool {
        guard case .object(let object) = content else { return false }
        return (type(of: object) as? any MappingSubject.Type)?.properties.isEntity ?? false
    }
}

extension ObjectManager {
    /// The queue of the manager's operations; see ``ObjectManagerConfiguration/operationQueue``.
    public var operationQueue: ObjectRequestQueue { snapshot.value.operationQueue }

    /// Returns an operation for a request, without enqueueing it.
    ///
    /// The request is assembled in the caller's isolation, so its object need not be Sendable.
    ///
    /// - Parameter request: The request.
    /// - Returns: An operation of the newest registered ``OperationKind`` that can process the
    ///   request.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled.
    public func operation<Value>(
        for request: ObjectRequest<Value>
    ) throws(NetworkingError) -> ObjectRequestOperation<Value> {
        ObjectRequestOperation(try assemble(request), manager: self)
    }

    /// Returns an operation for a request that the caller made, without enqueueing it.
    ///
    /// The request is sent as it is, and its response is mapped by all response descriptors that
    /// match.
    ///
    /// - Parameter request: The request.
    /// - Returns: An operation of the newest registered ``OperationKind`` that can process the
    ///   request.
    public func operation(
        for request: TransportRequest
    ) -> ObjectRequestOperation<MappingResult> {
        ObjectRequestOperation(request, manager: self)
    }

    /// Returns an operation that maps the response by all response descriptors that match.
    ///
    /// It is of a kind for ``OperationDestination/store`` if the manager has a store, and the object is
    /// managed or a descriptor for the request leads to managed objects.
    ///
    /// - Parameters:
    ///   - object: The object to send, or to fill the parameters of a route with.
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource; by default the route of the object.
    ///   - parameters: The parameters of the body or of the query.
    /// - Returns: An operation that is not enqueued yet.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled.
    public func operation(
        for object: RequestObject? = nil, method: HTTPRequest.Method? = nil,
        at target: some RequestTargetConvertible = .object, parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> ObjectRequestOperation<MappingResult> {
        let request = try assemble(
            ObjectRequest<MappingResult>(
                method, at: target, object: object, parameters: parameters))
        return ObjectRequestOperation(
            request, manager: self, into: destination(of: request.transportRequest, object))
    }

    /// Returns the destination of the objects of a request, with any status of its response.
    private func destination(
        of request: TransportRequest, _ object: RequestObject?
    ) -> OperationDestination {
        let configuration = snapshot.value
        guard configuration.entityImporter != nil else { return .objects }
        if object?.isManaged == true { return .store }
        let location = RequestedLocation(
            url: request.url, baseURL: configuration.client.baseURL)
        let isManaged = configuration.responseDescriptors.descriptors.contains { descriptor in
            descriptor.matches(method: request.method) && descriptor.matches(location)
                && descriptor.mayMapEntities
        }
        return isManaged ? .store : .objects
    }

    /// Assembles a request in the caller's isolation and enqueues its operation.
    ///
    /// ```swift
    /// let operation = try api.enqueue(ObjectRequest<[Article]>(at: "articles"))
    /// let articles = try await operation.value
    /// ```
    ///
    /// - Parameter request: The request.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` if the request cannot be assembled. Nothing is then enqueued.
    @discardableResult
    public func enqueue<Value>(
        _ request: ObjectRequest<Value>
    ) throws(NetworkingError) -> ObjectRequestOperation<Value> {
        try enqueue(operation(for: request))
    }

    /// Enqueues an operation in the ``operationQueue``.
    ///
    /// - Parameter operation: The operation.
    /// - Returns: The operation.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if the
    ///   operation was enqueued before.
    @discardableResult
    public func enqueue<Value>(
        _ operation: ObjectRequestOperation<Value>
    ) throws(NetworkingError) -> ObjectRequestOperation<Value> {
        try operationQueue.enqueue(operation.operation)
        return operation
    }

    /// Returns the operations in the ``operationQueue`` whose requests have a method and a path.
    ///
    /// - Parameters:
    ///   - methods: The request methods.
    ///   - pattern: A path pattern relative to the ``baseURL``; `nil` for all requests. It never
    ///     matches a URL that is not below the base URL. Queries are ignored.
    /// - Returns: The operations that are not finished, in the order in which they were enqueued.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if the
    ///   pattern is invalid.
    public func operations(
        methods: MethodSet = .any, matching pattern: String? = nil
    ) throws(NetworkingError) -> [RequestOperation] {
        let configuration = snapshot
        let baseURL = configuration.value.client.baseURL
        var compiled: PathPattern?
        if let pattern { compiled = try PathPattern(pattern) }
        return configuration.value.operationQueue.operations.filter { operation in
            guard methods.contains(operation.request.method) else { return false }
            guard let compiled else { return true }
            let location = RequestedLocation(url: operation.request.url, baseURL: baseURL)
            let paths = location.paths(relativeTo: baseURL) ?? []
            return paths.contains { compiled.matches($0) }
        }
    }

    /// Cancels the operations in the ``operationQueue`` whose requests have a method and a path.
    ///
    /// - Parameters:
    ///   - methods: The request methods.
    ///   - pattern: A path pattern, as for ``operations(methods:matching:)``.
    /// - Returns: The cancelled operations.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if the
    ///   pattern is invalid. Nothing is then cancelled.
    @discardableResult
    public func cancelAll(
        methods: MethodSet = .any, matching pattern: String? = nil
    ) throws(NetworkingError) -> [RequestOperation] {
        let operations = try operations(methods: methods, matching: pattern)
        for operation in operations { operation.cancel() }
        return operations
    }
}
