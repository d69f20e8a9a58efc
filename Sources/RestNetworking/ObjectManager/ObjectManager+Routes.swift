// SPDX-License-Identifier: Apache-2.0

extension ObjectManager {
    /// The router: the client's base URL and the ``routes``, as they are now.
    public var router: Router { snapshot.value.router }

    /// The routes.
    ///
    /// To replace all of them at once, for example in tests, set
    /// ``ObjectManagerConfiguration/routes``.
    public var routes: RouteSet { snapshot.value.routes }

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
        try configure { (configuration) throws(NetworkingError) in
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
        try configure { (configuration) throws(NetworkingError) in
            try configuration.routes.remove(routes)
        }
    }
}
