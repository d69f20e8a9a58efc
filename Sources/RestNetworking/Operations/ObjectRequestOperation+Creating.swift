// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestTransport

extension ObjectRequestOperation<MappingResult> {
    /// Creates an operation for a request without an object manager.
    ///
    /// ```swift
    /// let request = TransportRequest(method: .get, url: try HTTPURL(parsing: "https://api.example.com/articles"))
    /// let operation = try ObjectRequestOperation(
    ///     request, responseDescriptors: [ResponseDescriptor(Article.self, at: "articles")], client: client)
    /// try queue.enqueue(operation.operation)
    /// let articles = try await operation.takeValue().objects(of: Article.self)
    /// ```
    ///
    /// The request is sent as it is, and its response is mapped by all descriptors that match. The
    /// operation is enqueued in an ``ObjectRequestQueue``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - responseDescriptors: The descriptors. Their path patterns are relative to the base URL of
    ///     the client.
    ///   - client: The HTTP client that sends the request.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` and the
    ///   diagnostics of the descriptors if one is invalid.
    /// - Source: `initWithRequest:responseDescriptors:` of `RKObjectRequestOperation`.
    public init(
        _ request: TransportRequest, responseDescriptors: [ResponseDescriptor], client: HTTPClient
    ) throws(NetworkingError) {
        let manager = ObjectManager(unshared: ObjectManagerConfiguration(client: client))
        try manager.add(responseDescriptors)
        self.init(request, manager: manager)
    }

    /// Creates an operation for a request that is sent as it is.
    init(_ request: TransportRequest, manager: ObjectManager) {
        self.init(
            AssembledRequest(request, reading: .result, configuration: manager.snapshot),
            manager: manager)
    }
}
