// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

/// The paths of objects, of their relationships and of named routes.
///
/// ```swift
/// let path = try api.router.path(for: article, method: .get)      // articles/42
/// let url = try api.router.url(for: path)
/// ```
///
/// The parameters of a route are the properties of an object that the `@Mapped` or `@Entity` macro
/// or a hand-written property table declares, the keys of a dictionary or of a `Document`, or the
/// encoded keys of an `Encodable` value.
public struct Router: Sendable {
    /// The URL that paths are relative to.
    public var baseURL: HTTPURL

    /// The routes.
    public var routes: RouteSet

    /// The format of dates in paths.
    public var dates = DateFormat.iso8601

    /// The encoder of `Encodable` values, whose keys are not converted in paths.
    ///
    /// Its dates are in the format ``dates``, unless it has a strategy for them.
    public var encoder = DocumentEncoder()

    /// Creates a router.
    public init(baseURL: HTTPURL, routes: RouteSet = RouteSet()) {
        self.baseURL = baseURL
        self.routes = routes
    }

    /// Returns the path of an object.
    ///
    /// - Parameters:
    ///   - object: The object. Its type or a superclass has a route.
    ///   - method: The request method.
    /// - Returns: The path with the values of the object.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if there is
    ///   no route for the type and the method, or ``NetworkingError/Code/invalidRequest`` if the
    ///   object lacks a value for the path.
    public func path(
        for object: Any, method: HTTPRequest.Method
    ) throws(NetworkingError) -> RoutedPath {
        guard let route = routes.route(forObject: object, method: method) else {
            throw missingRoute(
                "\(type(of: object))", method, among: routes.routes(forObject: object))
        }
        return try path(of: route, object, method)
    }

    /// Returns the path of a relationship of an object.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - object: The object that the relationship belongs to.
    ///   - method: The request method.
    /// - Returns: The path with the values of the object.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if there is
    ///   no route for the relationship and the method, or
    ///   ``NetworkingError/Code/invalidRequest`` if the object lacks a value for the path.
    public func path(
        forRelationship name: String, of object: Any, method: HTTPRequest.Method
    ) throws(NetworkingError) -> RoutedPath {
        let found = routes.route(forRelationship: name, ofObject: object, method: method)
        guard let found else {
            throw missingRoute(
                "\(type(of: object)).\(name)", method,
                among: routes.routes(forRelationship: name, ofObject: object))
        }
        return try path(of: found, object, method)
    }

    /// Returns the path of a named route.
    ///
    /// - Parameters:
    ///   - name: The name of the route.
    ///   - object: The object with the values of the path's parameters; `nil` if it has none.
    ///   - method: The method that the route must have; `nil` for the route's own method.
    /// - Returns: The path with the values of the object, and the route's method.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if there is
    ///   no route with the name, or if its method is another one, or
    ///   ``NetworkingError/Code/invalidRequest`` if the object lacks a value for the path.
    public func path(
        named name: String, object: Any? = nil, method: HTTPRequest.Method? = nil
    ) throws(NetworkingError) -> RoutedPath {
        guard let route = routes.route(named: name), let ownMethod = route.methods.method else {
            let names = routes.namedRoutes.compactMap(\.name).map { "\"\($0)\"" }
            let known = names.isEmpty ? "no route has a name" : "the names are "
            throw NetworkingError(
                .noMatchingRoute, stage: .assembly,
                causes: [
                    "there is no route \"\(name)\"; \(known)" + names.joined(separator: ", ")
                ])
        }
        if let method, method != ownMethod {
            throw missingRoute("route \"\(name)\"", method, among: [route])
        }
        return try path(of: route, object, ownMethod)
    }

    /// Returns the URL of a path.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` if the path
    ///   resolves to another origin than the base URL's, else
    ///   ``NetworkingError/Code/invalidRequest``.
    public func url(for path: RoutedPath) throws(NetworkingError) -> HTTPURL {
        try baseURL.url(at: path.reference, path.method)
    }

    private func path(
        of route: Route, _ object: Any?, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> RoutedPath {
        guard let pattern = route.pathPattern else {
            throw NetworkingError(
                .invalidConfiguration, stage: .assembly, causes: route.diagnostics)
        }
        if pattern.parameters.isEmpty {
            return RoutedPath(
                try pattern.interpolated(from: .none, route.encoding), method: method, route: route)
        }
        let source = try PathValueSource(object, by: encoder, dates: dates)
        let path = try pattern.interpolated(from: source, route.encoding, dates: dates)
        return RoutedPath(path, method: method, route: route)
    }

    private func missingRoute(
        _ subject: String, _ method: HTTPRequest.Method, among routes: [Route]
    ) -> NetworkingError {
        let known =
            routes.isEmpty
            ? "it has none; add one"
            : "it has one for "
                + routes.map { $0.methods.description }.joined(separator: " and one for ")
        return NetworkingError(
            .noMatchingRoute, stage: .assembly, method: method.rawValue,
            causes: ["there is no route of \(subject) for \(method.rawValue); \(known)"])
    }
}

extension HTTPURL {
    /// Returns the URL of a path below this one, which may have a query.
    func url(
        at path: String, _ method: HTTPRequest.Method
    ) throws(NetworkingError) -> HTTPURL {
        let url: HTTPURL
        do throws(TransportError) {
            url = try resolving(path: path)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue, url: redacted,
                causes: [error.reason], underlying: error)
        }
        guard url.hasSameOrigin(as: self) else {
            throw NetworkingError(
                .crossOrigin, stage: .assembly, method: method.rawValue, url: url.redacted,
                causes: ["the base URL's origin is \(origin)"])
        }
        return url
    }
}
