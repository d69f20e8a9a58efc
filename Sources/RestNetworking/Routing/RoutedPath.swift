// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument

/// The path and the method of a request, and the route that they come from.
public struct RoutedPath: Sendable, Hashable {
    /// The path, relative to the base URL and percent-encoded.
    public let path: String

    /// The request method.
    public let method: HTTPRequest.Method

    /// The route; `nil` for a path that the caller wrote.
    public let route: Route?

    private let interpolation: PathPattern.Interpolation?

    /// Creates a path that is not from a route.
    public init(_ path: String, method: HTTPRequest.Method) {
        self.path = path
        self.method = method
        route = nil
        interpolation = nil
    }

    init(
        _ interpolation: PathPattern.Interpolation, method: HTTPRequest.Method, route: Route
    ) {
        path = interpolation.path
        self.method = method
        self.route = route
        self.interpolation = interpolation
    }

    /// The path as a relative reference.
    ///
    /// In a relative reference, a colon in the first segment would end a scheme (RFC 3986 §4.2). A
    /// path that the caller wrote may be a URL.
    var reference: String { route == nil || path.hasPrefix("/") ? path : "./" + path }

    /// The values of the route's parameters, which mappings refer to as
    /// `@metadata.routing.parameters`; `nil` without a route.
    ///
    /// An object with the values of the routed object by parameter name, without encoding. Numbers
    /// and Boolean values keep their kind. The name of a key path is one key with dots.
    public var parameters: Document? { interpolation?.parameters }

    /// The values for sources that begin with `@metadata.routing`: the ``parameters``, and the name,
    /// path pattern and method of the route; `nil` without a route.
    var metadata: Document? {
        guard let route, let parameters else { return nil }
        var description: [(String, Document)] = [
            ("pathPattern", .string(route.path)), ("method", .string(method.rawValue)),
        ]
        if let name = route.name ?? route.relationship {
            description.insert(("name", .string(name)), at: 0)
        }
        return .object([("parameters", parameters), ("route", .object(description))])
    }

    /// The values of the route's parameters as text; empty without a route.
    public var arguments: PathArguments { interpolation?.arguments ?? PathArguments() }
}
