// SPDX-License-Identifier: Apache-2.0

extension ObjectManager {
    /// The router: the client's base URL and the ``routes``, as they are now.
    public var router: Router { snapshot.value.router }

    /// The routes.
    ///
    /// Setting this property replaces all of them at once, for example in tests. Requests in
    /// progress are not affected.
    public var routes: RouteSet {
        get { snapshot.value.routes }
        set { change { $0.routes = newValue } }
    }

    /// Adds routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if a
    ///   route is invalid, or ``NetworkingError/Code/duplicateRoute`` if there is a route with the
    ///   same name, or for the same type, relationship and method.
    public func add(_ routes: Route...) throws(NetworkingError) {
        try add(routes)
    }

    /// Adds routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` if a
    ///   route is invalid, or ``NetworkingError/Code/duplicateRoute`` if there is a route with the
    ///   same name, or for the same type, relationship and method.
    public func add(_ routes: [Route]) throws(NetworkingError) {
        try change { (configuration) throws(NetworkingError) in
            try configuration.routes.add(routes)
        }
    }

    /// Removes routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if one of
    ///   them was not added.
    public func remove(_ routes: Route...) throws(NetworkingError) {
        try remove(routes)
    }

    /// Removes routes: either all of them or none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/noMatchingRoute`` if one of
    ///   them was not added.
    public func remove(_ routes: [Route]) throws(NetworkingError) {
        try change { (configuration) throws(NetworkingError) in
            try configuration.routes.remove(routes)
        }
    }
}
