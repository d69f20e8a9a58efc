// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import TestSupport
import Testing

/// Adding, removing and listing routes.
@Suite struct RouteSetTests {
    private let popular = Route(named: "popular", "articles/popular")

    @Test(.parity("N041")) func isEmptyAtFirst() {
        let set = RouteSet()
        #expect(set.allRoutes.isEmpty && set.namedRoutes.isEmpty)
        #expect(set.objectRoutes.isEmpty && set.relationshipRoutes.isEmpty)
    }

    @Test(.parity("N042", "N043")) func addsAndRemovesRoute() throws {
        var set = RouteSet()
        try set.add(popular)
        #expect(set.allRoutes == [popular])
        try set.remove(popular)
        #expect(set.allRoutes.isEmpty)
        #expect(set.route(named: "popular") == nil)
        try set.add(popular)
        #expect(set.route(named: "popular") == popular)
    }

    @Test(.parity("N044")) func refusesRouteTwice() throws {
        for route in [
            popular, Route(User.self, "users"), Route(relationship: "a", of: User.self, "b"),
        ] {
            var set = try RouteSet([route])
            #expect(duplicate(route, in: &set))
            #expect(duplicate(route, route, in: &set))
        }
    }

    @Test(.parity("N045")) func refusesKnownName() throws {
        var set = try RouteSet([popular])
        #expect(duplicate(Route(named: "popular", "articles/best"), in: &set))
        #expect(duplicate(Route(named: "popular", "articles", methods: .post), in: &set))
    }

    @Test(.parity("N046")) func acceptsPathOfOtherName() throws {
        let routes = [Route(named: "one", "/routes"), Route(named: "two", "/routes")]
        #expect(try RouteSet(routes).allRoutes == routes)
    }

    @Test(.parity("N047")) func refusesKnownMethodOfType() throws {
        var set = try RouteSet([
            Route(User.self, "users/:userID", methods: .get),
            Route(User.self, "users", methods: .post),
        ])
        #expect(set.allRoutes.count == 2)
        #expect(duplicate(Route(User.self, "people", methods: .post), in: &set))
        #expect(duplicate(Route(User.self, "people", methods: [.put, .get]), in: &set))
        try set.add(Route(User.self, "people", methods: [.put, .delete]))
        try set.add(Route(Member.self, "people", methods: .post))
        #expect(set.allRoutes.count == 4)
    }

    @Test(.parity("N048")) func refusesKnownMethodOfRelationship() throws {
        func friends(_ path: String, _ methods: MethodSet) -> Route {
            Route(relationship: "friends", of: User.self, path, methods: methods)
        }
        var set = try RouteSet([friends("a", .get), friends("b", .post)])
        #expect(set.allRoutes.count == 2)
        #expect(duplicate(friends("c", .get), in: &set))
        try set.add(Route(relationship: "enemies", of: User.self, "c", methods: .get))
        #expect(set.allRoutes.count == 3)
    }

    @Test(.parity("N049")) func acceptsMethodBesideAnyMethod() throws {
        let any = Route(User.self, "users/:userID")
        let post = Route(User.self, "users", methods: .post)
        for routes in [[any, post], [post, any]] {
            var set = try RouteSet(routes)
            #expect(set.allRoutes == routes)
            #expect(duplicate(Route(User.self, "people"), in: &set))
        }
    }

    @Test(.parity("N050")) func refusesToRemoveUnknownRoute() throws {
        var set = try RouteSet([popular])
        for unknown in [Route(named: "best", "best"), Route(named: "popular", "best")] {
            let error = #expect(throws: NetworkingError.self) {
                try set.remove(popular, unknown)
            }
            #expect(error?.code == .noMatchingRoute)
            #expect(error?.stage == .configuration)
        }
        #expect(set.allRoutes == [popular])
    }

    @Test func addsAllRoutesOrNone() throws {
        var set = try RouteSet([popular])
        let error = #expect(throws: NetworkingError.self) {
            try set.add(Route(User.self, "users"), popular, Route(Member.self, ":a:b"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.causes.count == 2)
        #expect(set.allRoutes == [popular])
    }

    // MARK: Lists

    @Test(.parity("N051", "N052", "N053")) func listsRoutesInOrder() throws {
        let first = Route(named: "first", "a")
        let second = Route(named: "second", "b")
        let objects = Route(User.self, "users/:userID")
        let friends = Route(relationship: "friends", of: User.self, "friends")
        #expect(try RouteSet([first, second]).allRoutes == [first, second])
        let set = try RouteSet([objects, second, friends, first])
        #expect(set.allRoutes == [objects, second, friends, first])
        #expect(set.namedRoutes == [second, first])
        #expect(set.objectRoutes == [objects])
        #expect(set.relationshipRoutes == [friends])
    }

    // MARK: Finding

    @Test(.parity("N054", "N055", "N056")) func findsRouteByName() throws {
        let route = Route(named: "testing", "/route")
        let set = try RouteSet([popular, route])
        #expect(set.route(named: "testing") == route)
        #expect(set.route(named: "testing")?.name == "testing")
        #expect(set.route(named: "testing")?.path == "/route")
        #expect(set.route(named: "testing")?.methods.method == .get)
        #expect(set.route(named: "unknown") == nil)
    }

    @Test(
        .parity("N057", "N058", "N059"),
        arguments: [MethodSet.get, .any, [.head, .get]])
    func findsRouteOfTypeByMethod(methods: MethodSet) throws {
        let set = try RouteSet([
            Route(User.self, "users/:userID", methods: methods),
            Route(Visitor.self, "visitors", methods: .get),
        ])
        let found = try #require(set.route(for: User.self, method: .get))
        #expect(found.objectType == User.self)
        #expect(found.methods == methods)
        #expect(found.path == "users/:userID")
        // A type has no routes of its superclass.
        #expect(set.route(for: Member.self, method: .get) == nil)
        if methods != .any { #expect(set.route(for: User.self, method: .post) == nil) }
    }

    @Test(
        .parity("N060", "N061"),
        arguments: [(MethodSet([.head, .get]), HTTPRequest.Method.get), (.post, .post)])
    func prefersPreciseMethods(methods: MethodSet, method: HTTPRequest.Method) throws {
        let any = Route(User.self, "any")
        let precise = Route(User.self, "precise", methods: methods)
        for routes in [[any, precise], [precise, any]] {
            let set = try RouteSet(routes)
            #expect(set.route(for: User.self, method: method) == precise)
            #expect(set.route(for: User.self, method: .delete) == any)
        }
    }

    private func duplicate(_ routes: Route..., in set: inout RouteSet) -> Bool {
        let before = set
        let code = code { try set.add(routes) }
        return code == .duplicateRoute && set == before
    }
}
