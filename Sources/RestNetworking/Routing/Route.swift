// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A path pattern, and the objects, the name or the relationship that it is the path of.
///
/// ```swift
/// try api.add(
///     Route(Article.self, "articles/:id"),
///     Route(Article.self, "articles", methods: .post),
///     Route(named: "popular", "articles/popular"),
///     Route(relationship: "comments", of: Article.self, "articles/:id/comments"))
/// ```
///
/// The parameters of the pattern are the names of properties, or key paths such as `author.name`.
///
/// Creating a route compiles its path pattern. A route with ``diagnostics`` is invalid, and adding
/// it to a ``RouteSet`` or an ``ObjectManager`` throws.
///
/// - Source: `RKRoute`. Differs: values are percent-encoded unless the route says otherwise.
public struct Route: Sendable, Hashable {
    enum Target: Sendable, Hashable {
        case objects(RoutedType)
        case name(String)
        case relationship(String, of: RoutedType)
    }

    let target: Target

    /// The text of the path pattern, relative to the base URL.
    public let path: String

    /// The request methods.
    public let methods: MethodSet

    /// The encoding of the values in the path.
    public let encoding: PathPattern.ValueEncoding

    /// The compiled path pattern; `nil` for an invalid one.
    public let pathPattern: PathPattern?

    /// The errors in the route; empty for a valid route.
    public let diagnostics: [String]

    /// Creates the route of the objects of a type.
    ///
    /// - Parameters:
    ///   - type: The type. The route of a class is also the route of its subclasses, unless they
    ///     have routes of their own.
    ///   - path: A path pattern relative to the base URL.
    ///   - methods: The request methods.
    ///   - encoding: The encoding of the values in the path.
    public init<Object>(
        _ type: Object.Type, _ path: String, methods: MethodSet = .any,
        encoding: PathPattern.ValueEncoding = .percentEncoded
    ) {
        self.init(.objects(RoutedType(type)), path, methods, encoding)
    }

    /// Creates a route with a name.
    ///
    /// - Parameters:
    ///   - name: The name, which is unique in a ``RouteSet``.
    ///   - path: A path pattern relative to the base URL.
    ///   - methods: Exactly one method, because the name alone determines the request.
    ///   - encoding: The encoding of the values in the path.
    public init(
        named name: String, _ path: String, methods: MethodSet = .get,
        encoding: PathPattern.ValueEncoding = .percentEncoded
    ) {
        self.init(.name(name), path, methods, encoding)
    }

    /// Creates the route of a relationship of the objects of a type.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - type: The type that the relationship belongs to. Subclasses inherit the route.
    ///   - path: A path pattern relative to the base URL. Its parameters are values of the object
    ///     that the relationship belongs to.
    ///   - methods: The request methods.
    ///   - encoding: The encoding of the values in the path.
    public init<Object>(
        relationship name: String, of type: Object.Type, _ path: String,
        methods: MethodSet = .any, encoding: PathPattern.ValueEncoding = .percentEncoded
    ) {
        self.init(.relationship(name, of: RoutedType(type)), path, methods, encoding)
    }

    private init(
        _ target: Target, _ path: String, _ methods: MethodSet,
        _ encoding: PathPattern.ValueEncoding
    ) {
        self.target = target
        self.path = path
        self.methods = methods
        self.encoding = encoding
        var diagnostics: [String] = []
        do throws(NetworkingError) {
            pathPattern = try PathPattern(path)
        } catch {
            pathPattern = nil
            diagnostics += error.causes
        }
        switch target {
        case .name(let name):
            if name.isEmpty { diagnostics.append("the name is empty") }
            if methods.method == nil {
                diagnostics.append("a named route has exactly one method, not \(methods)")
            }
        case .relationship(let name, let type):
            if name.isEmpty { diagnostics.append("the name of the relationship is empty") }
            diagnostics += Self.diagnostics(methods, path, of: type)
        case .objects(let type):
            diagnostics += Self.diagnostics(methods, path, of: type)
        }
        self.diagnostics = diagnostics
    }

    /// Returns the errors of a route for the objects of a type.
    private static func diagnostics(
        _ methods: MethodSet, _ path: String, of type: RoutedType
    ) -> [String] {
        if methods.isEmpty { return ["the route is for no method"] }
        guard let table = (type.type as? any MappingSubject.Type)?.properties else { return [] }
        return PathPattern.diagnostics(ofIdentitiesIn: path, of: [table])
    }

    /// The name of a named route; `nil` for other routes.
    public var name: String? {
        if case .name(let name) = target { name } else { nil }
    }

    /// The name of the relationship; `nil` for other routes.
    public var relationship: String? {
        if case .relationship(let name, _) = target { name } else { nil }
    }

    /// The type of the objects, or the type that the relationship belongs to; `nil` for a named
    /// route.
    public var objectType: Any.Type? {
        switch target {
        case .objects(let type), .relationship(_, let type): type.type
        case .name: nil
        }
    }
}

extension Route {
    /// Returns a Boolean value that indicates whether two routes have the same target, path,
    /// methods and encoding.
    public static func == (left: Route, right: Route) -> Bool {
        left.target == right.target && left.path == right.path && left.methods == right.methods
            && left.encoding == right.encoding
    }

    /// Hashes the target and the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        hasher.combine(path)
    }

    /// Returns a Boolean value that indicates whether two routes cannot be in one set.
    ///
    /// A name belongs to one route. Routes of the same objects or relationship conflict if they
    /// share a method; a route for any method conflicts only with another such route, because it is
    /// used only for methods without a route of their own.
    func conflicts(with other: Route) -> Bool {
        guard target == other.target else { return false }
        if name != nil || methods.isAny && other.methods.isAny { return true }
        return !methods.isAny && !other.methods.isAny && methods.overlaps(other.methods)
    }
}

extension Route: CustomStringConvertible {
    /// The target, methods and path, for logs and errors.
    public var description: String {
        "\(target) for \(methods) at \"\(path)\""
    }
}

extension Route.Target: CustomStringConvertible {
    var description: String {
        switch self {
        case .objects(let type): "\(type.type)"
        case .name(let name): "route \"\(name)\""
        case .relationship(let name, let type): "\(type.type).\(name)"
        }
    }
}
