// SPDX-License-Identifier: Apache-2.0

/// The resource that a request is for: a path, a route, an object or one of its relationships.
///
/// Functions accept a text in its place, which is a path:
///
/// ```swift
/// let article: Article = try await api.get("articles/42")
/// let latest: [Article] = try await api.get(.route(named: "latest"))
/// let versions = try await api.getObjects(Version.self, at: .route(of: article))
/// let comments = try await api.getObjects(Comment.self, at: .relationship("comments", of: article))
/// ```
///
/// Not Sendable: a route or a relationship holds the object that has its values.
public struct RequestTarget {
    enum Storage {
        case path(String)
        case route(name: String, object: Any?)
        /// The route of an object's type; that of the request's object if it is `nil`.
        case object(Any?)
        case relationship(name: String, object: Any?)
        /// A path whose route and values are found already.
        case routed(RoutedPath)
    }

    let storage: Storage

    fileprivate init(storage: Storage) {
        self.storage = storage
    }

    /// Creates a target whose route and values are found already.
    package init(_ path: RoutedPath) {
        storage = .routed(path)
    }
}

/// A type whose values name the resource of a request: ``RequestTarget``, and `String` for a path.
public protocol RequestTargetConvertible {
    /// The resource.
    var requestTarget: RequestTarget { get }
}

extension RequestTarget: RequestTargetConvertible {
    /// The target itself.
    public var requestTarget: RequestTarget { self }
}

extension String: RequestTargetConvertible {
    /// The path that the text is.
    public var requestTarget: RequestTarget { .path(self) }
}

extension RequestTargetConvertible where Self == RequestTarget {
    /// Returns the target of a path relative to the base URL, or of a URL with the base URL's origin.
    public static func path(_ path: String) -> RequestTarget {
        RequestTarget(storage: .path(path))
    }

    /// Returns the target of a named route.
    ///
    /// - Parameters:
    ///   - name: The name of the route, which has the request method.
    ///   - object: The object whose values fill the parameters of the route; `nil` for the object of the
    ///     request. It is not sent.
    /// - Returns: The target.
    public static func route(named name: String, of object: Any? = nil) -> RequestTarget {
        RequestTarget(storage: .route(name: name, object: object))
    }

    /// The route of the request's object, by its type and the request's method.
    public static var object: RequestTarget { RequestTarget(storage: .object(nil)) }

    /// Returns the target of the route of an object, by its type and the request's method.
    ///
    /// - Parameter object: The object whose values fill the parameters of the route. It is not sent.
    /// - Returns: The target.
    public static func route(of object: Any) -> RequestTarget {
        RequestTarget(storage: .object(object))
    }

    /// Returns the target of the route of a relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - object: The object that the relationship belongs to, which is not sent; `nil` for each object of
    ///     a batch.
    /// - Returns: The target.
    public static func relationship(_ name: String, of object: Any? = nil) -> RequestTarget {
        RequestTarget(storage: .relationship(name: name, object: object))
    }
}

extension RequestTarget {
    /// A Boolean value that indicates whether the resource is that of the request's object.
    package var isOfObject: Bool {
        if case .object(nil) = storage { true } else { false }
    }

    /// Returns the target of the request for one of several objects, with whose values it is filled, and a
    /// Boolean value that indicates whether the request has the object.
    package func filled(by object: Any) -> (target: RequestTarget, hasObject: Bool) {
        if case .relationship(let name, nil) = storage {
            return (.relationship(name, of: object), false)
        }
        return (self, true)
    }
}
