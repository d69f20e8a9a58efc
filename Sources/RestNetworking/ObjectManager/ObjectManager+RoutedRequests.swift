// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping
public import RestTransport

// Requests whose path comes from a route.

extension ObjectManager {
    /// Sends a GET request to the route of an object's type, and returns the object that answers.
    ///
    /// - Parameters:
    ///   - object: The object whose values fill the parameters of the route.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - configure: Sets further properties of the request.
    /// - Returns: A new object.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func get<Object: Mapped>(
        _ object: Object, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Object>) throws -> Void = { _ in }
    ) async throws -> sending Object {
        try await value(
            .value(), .get, .object, object: RequestObject(object), parameters, nil, configure)
    }

    /// Sends a GET request to a relationship of an object, and returns objects of one type.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - relationship: The name of the relationship.
    ///   - object: The object that the relationship belongs to.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - configure: Sets further properties of the request.
    /// - Returns: New objects in document order.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/noMatchingRoute`` if the
    ///   relationship has no route, or `CancellationError`; the errors of `configure`.
    public func getObjects<Object: Mapped>(
        _ type: Object.Type, relationship: String, of object: Any,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<[Object]>) throws -> Void = { _ in }
    ) async throws -> sending [Object] {
        try await value(
            .objects(of: type), .get, .relationship(relationship, of: object), parameters, nil,
            configure)
    }

    /// Sends a GET request to a relationship of an object, and returns the objects of all response
    /// descriptors that match.
    ///
    /// - Returns: New objects by key path.
    public func getObjects(
        relationship: String, of object: Any, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<MappingResult>) throws -> Void = { _ in }
    ) async throws -> sending MappingResult {
        try await value(
            .result, .get, .relationship(relationship, of: object), parameters, nil, configure)
    }

    /// Sends a GET request to a named route, and returns objects of one type.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - name: The name of the route, which must be for GET.
    ///   - object: The object whose values fill the parameters of the route; `nil` if it has none.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - configure: Sets further properties of the request.
    /// - Returns: New objects in document order.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/noMatchingRoute`` if there is
    ///   no such route, or `CancellationError`; the errors of `configure`.
    public func getObjects<Object: Mapped>(
        _ type: Object.Type, routeNamed name: String, object: (any RequestContent)? = nil,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<[Object]>) throws -> Void = { _ in }
    ) async throws -> sending [Object] {
        try await value(
            .objects(of: type), .get, .route(named: name), object: object?.requestObject,
            parameters, nil, configure)
    }

    /// Sends a GET request to a named route, and returns the objects of all response descriptors that
    /// match.
    ///
    /// - Returns: New objects by key path.
    public func getObjects(
        routeNamed name: String, object: (any RequestContent)? = nil,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<MappingResult>) throws -> Void = { _ in }
    ) async throws -> sending MappingResult {
        try await value(
            .result, .get, .route(named: name), object: object?.requestObject, parameters, nil,
            configure)
    }
}

// MARK: - Stages

extension ObjectManager {
    /// Returns the request of a named route as it would be sent.
    ///
    /// - Parameters:
    ///   - name: The name of the route, which gives path and method.
    ///   - object: The object whose values fill the parameters of the route, and which PATCH, POST
    ///     and PUT send; `nil` for none.
    ///   - parameters: Parameters that are merged into the representation of the object, or added to
    ///     the query.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``.
    public func request(
        routeNamed name: String, object: (any RequestContent)? = nil,
        parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try assemble(
            ObjectRequest<Void>(
                to: .route(named: name), object: object?.requestObject, parameters: parameters)
        ).transportRequest
    }

    /// Returns the request of a relationship's route as it would be sent.
    ///
    /// - Parameters:
    ///   - relationship: The name of the relationship.
    ///   - object: The object that the relationship belongs to, which is not sent.
    ///   - method: The request method.
    ///   - parameters: The parameters of the body or of the query.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``.
    public func request(
        relationship: String, of object: Any, method: HTTPRequest.Method = .get,
        parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try assemble(
            ObjectRequest<Void>(
                method, to: .relationship(relationship, of: object), parameters: parameters)
        ).transportRequest
    }
}
