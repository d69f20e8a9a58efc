// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Routes, found by name, by the type of an object, and by relationship.
///
/// For a type there is at most one route for each method, except for a route for any method, which
/// applies to the methods without a route of their own. A route for exactly the requested method is
/// preferred to one for several methods, and this one to one for any method.
///
/// - Source: `RKRouteSet`. Differs: routes of relationships are inherited by subclasses, and may be
///   for several methods.
public struct RouteSet: Sendable {
    /// All routes, in the order in which they were added.
    public private(set) var allRoutes: [Route] = []

    // Positions in `allRoutes`.
    private var positionsByTarget: [Route.Target: [Int]] = [:]

    // The classes that have routes.
    private var classes: Set<RoutedType> = []

    /// Creates an empty set.
    public init() {}

    /// Creates a set with routes.
    ///
    /// - Throws: ``NetworkingError``, under the conditions of `add(_:)`.
    public init(_ routes: [Route]) throws(NetworkingError) {
        try add(routes)
    }

    /// The routes with a name, in the order in which they were added.
    public var namedRoutes: [Route] { allRoutes.filter { $0.name != nil } }

    /// The routes of objects, in the order in which they were added.
    public var objectRoutes: [Route] {
        allRoutes.filter { if case .objects = $0.target { true } else { false } }
    }

    /// The routes of relationships, in the order in which they were added.
    public var relationshipRoutes: [Route] { allRoutes.filter { $0.relationship != nil } }
}

// MARK: - Changes

extension RouteSet {
    /// Adds routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if a
    ///   route is invalid, or ``NetworkingError/Code/duplicateRoute`` if the set contains a route
    ///   with the same name, or for the same type, relationship and method.
    public mutating func add(_ routes: Route...) throws(NetworkingError) {
        try add(routes)
    }

    /// Adds routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if a
    ///   route is invalid, or ``NetworkingError/Code/duplicateRoute`` if the set contains a route
    ///   with the same name, or for the same type, relationship and method.
    public mutating func add(_ routes: [Route]) throws(NetworkingError) {
        var result = self
        var invalid: [String] = []
        var duplicates: [String] = []
        for route in routes {
            if !route.diagnostics.isEmpty {
                invalid += route.diagnostics.map { "\(route): \($0)" }
            } else if let known = result.route(conflictingWith: route) {
                duplicates.append("\(route): the set already contains \(known)")
            } else {
                result.append(route)
            }
        }
        guard invalid.isEmpty, duplicates.isEmpty else {
            throw NetworkingError(
                invalid.isEmpty ? .duplicateRoute : .invalidConfiguration, stage: .configuration,
                causes: invalid + duplicates)
        }
        self = result
    }

    /// Removes routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if the set
    ///   does not contain a route.
    public mutating func remove(_ routes: Route...) throws(NetworkingError) {
        try remove(routes)
    }

    /// Removes routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if the set
    ///   does not contain a route.
    public mutating func remove(_ routes: [Route]) throws(NetworkingError) {
        let unknown = routes.filter { !allRoutes.contains($0) }
        guard unknown.isEmpty else {
            throw NetworkingError(
                .noMatchingRoute, stage: .configuration,
                causes: unknown.map { "\($0): the set does not contain the route" })
        }
        let removed = Set(routes)
        let remaining = allRoutes.filter { !removed.contains($0) }
        self = RouteSet()
        for route in remaining {
            append(route)
        }
    }

    private func route(conflictingWith route: Route) -> Route? {
        routes(of: route.target).first { $0.conflicts(with: route) }
    }

    private mutating func append(_ route: Route) {
        positionsByTarget[route.target, default: []].append(allRoutes.count)
        allRoutes.append(route)
        switch route.target {
        case .objects(let type), .relationship(_, let type):
            if type.isClass { classes.insert(type) }
        case .name: break
        }
    }
}

extension RouteSet: Equatable {
    /// Returns a Boolean value that indicates whether two sets contain the same routes in the same
    /// order.
    public static func == (left: RouteSet, right: RouteSet) -> Bool {
        left.allRoutes == right.allRoutes
    }
}

// MARK: - Finding routes

extension RouteSet {
    /// Returns the route with a name; `nil` if there is none.
    public func route(named name: String) -> Route? {
        routes(of: .name(name)).first
    }

    /// Returns the routes of the objects of a type, without those of its superclasses.
    public func routes<Object>(for type: Object.Type) -> [Route] {
        routes(of: .objects(RoutedType(type)))
    }

    /// Returns the route of the objects of a type for a method, without regard to its superclasses.
    public func route<Object>(
        for type: Object.Type, method: HTTPRequest.Method
    ) -> Route? {
        Self.best(of: routes(for: type), for: method)
    }

    /// Returns the routes of an object: those of its type, then those of each superclass.
    public func routes(forObject object: Any) -> [Route] {
        routes(forType: type(of: object))
    }

    /// Returns the route of an object for a method.
    ///
    /// The type itself precedes its superclasses, even if its route is less precise.
    ///
    /// - Complexity: O(1) if the type has a route for the method; else O(*n* log *n*) in the number
    ///   of classes with routes.
    public func route(forObject object: Any, method: HTTPRequest.Method) -> Route? {
        nearest(to: type(of: object), for: method) { .objects($0) }
    }

    /// Returns the routes of a relationship: those of a type, then those of each superclass.
    public func routes<Object>(
        forRelationship name: String, of type: Object.Type
    ) -> [Route] {
        lineage(of: type).flatMap { routes(of: .relationship(name, of: $0)) }
    }

    /// Returns the route of a relationship of a type for a method.
    ///
    /// The type itself precedes its superclasses.
    public func route<Object>(
        forRelationship name: String, of type: Object.Type, method: HTTPRequest.Method
    ) -> Route? {
        nearest(to: type, for: method) { .relationship(name, of: $0) }
    }

    /// Returns the route of a relationship of an object for a method.
    func route(
        forRelationship name: String, ofObject object: Any, method: HTTPRequest.Method
    ) -> Route? {
        nearest(to: type(of: object), for: method) { .relationship(name, of: $0) }
    }

    /// Returns the routes of the objects of a type: those of the type, then those of each superclass.
    func routes(forType type: Any.Type) -> [Route] {
        lineage(of: type).flatMap { routes(of: .objects($0)) }
    }

    /// Returns all routes of a relationship of an object.
    func routes(forRelationship name: String, ofObject object: Any) -> [Route] {
        lineage(of: type(of: object)).flatMap { routes(of: .relationship(name, of: $0)) }
    }

    private func routes(of target: Route.Target) -> [Route] {
        positionsByTarget[target]?.map { allRoutes[$0] } ?? []
    }

    private func nearest(
        to type: Any.Type, for method: HTTPRequest.Method,
        _ target: (RoutedType) -> Route.Target
    ) -> Route? {
        if let route = Self.best(of: routes(of: target(RoutedType(identity: type))), for: method) {
            return route
        }
        for ancestor in ancestors(of: type) {
            if let route = Self.best(of: routes(of: target(ancestor)), for: method) { return route }
        }
        return nil
    }

    private func lineage(of type: Any.Type) -> [RoutedType] {
        [RoutedType(identity: type)] + ancestors(of: type)
    }

    /// Returns the superclasses of a type that have routes, the nearest first.
    private func ancestors(of type: Any.Type) -> [RoutedType] {
        guard type is AnyClass else { return [] }
        // All of them are superclasses of one class, so one of any two inherits from the other.
        return
            classes
            .filter { $0.type != type && $0.includes(type) }
            .sorted { $1.includes($0.type) }
    }

    private static func best(of routes: [Route], for method: HTTPRequest.Method) -> Route? {
        var best: (route: Route, precision: MethodSet.Precision)?
        for route in routes {
            guard let precision = route.methods.precision(for: method) else { continue }
            if best.map({ precision < $0.precision }) ?? true { best = (route, precision) }
        }
        return best?.route
    }
}
