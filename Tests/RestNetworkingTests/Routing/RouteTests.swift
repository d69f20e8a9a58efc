// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import TestSupport
import Testing

@Suite struct RouteTests {
    @Test(.parity("N036")) func namedRouteHasSingleMethod() throws {
        let route = Route(named: "popular", "articles/popular")
        #expect(route.diagnostics.isEmpty)
        #expect(route.methods == .get)
        #expect(try RouteSet([route]).allRoutes == [route])
    }

    @Test(.parity("N037", "N038"), arguments: [MethodSet.any, [.post, .delete], []])
    func rejectsNamedRouteWithoutSingleMethod(methods: MethodSet) throws {
        let route = Route(named: "popular", "articles/popular", methods: methods)
        #expect(route.diagnostics.count == 1)
        let error = #expect(throws: NetworkingError.self) { try RouteSet([route]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.stage == .configuration)
        #expect(error?.description.contains("exactly one method, not \(methods)") == true)
    }

    @Test(.parity("N039", "N040")) func objectAndRelationshipCombineMethods() throws {
        let routes = [
            Route(User.self, "users/:userID", methods: [.post, .delete]),
            Route(relationship: "friends", of: User.self, "friends", methods: [.post, .delete]),
        ]
        let set = try RouteSet(routes)
        #expect(set.allRoutes == routes)
        #expect(set.allRoutes.map(\.methods) == [[.post, .delete], [.post, .delete]])
    }

    @Test(arguments: ["articles/id", "id", "/authors/id/articles"])
    func refusesIdentityWithoutColon(path: String) {
        let expected = [#"the segment "id" is text: write ":id" for the value of the property"#]
        #expect(Route(Article.self, path).diagnostics == expected)
        #expect(Route(relationship: "author", of: Article.self, path).diagnostics == expected)
        #expect(ResponseDescriptor(Article.self, at: path).diagnostics == expected)
    }

    @Test(arguments: ["articles", "articles/:id", "articles/title", "articles/identity"])
    func acceptsOtherTextInPath(path: String) {
        #expect(Route(Article.self, path).diagnostics.isEmpty)
        #expect(ResponseDescriptor(Article.self, at: path).diagnostics.isEmpty)
    }

    @Test func reportsAllErrorsOfRoute() {
        #expect(Route(named: "", "a/:b:c", methods: .any).diagnostics.count == 3)
        #expect(Route(relationship: "", of: User.self, "a", methods: []).diagnostics.count == 2)
        #expect(Route(User.self, "a", methods: []).diagnostics == ["the route is for no method"])
        #expect(Route(User.self, "a/../b").pathPattern == nil)
    }

    @Test func hasPropertiesOfItsKind() {
        let objects = Route(User.self, "users")
        let named = Route(named: "all", "users")
        let relationship = Route(relationship: "friends", of: User.self, "friends")
        #expect([objects, named, relationship].map(\.name) == [nil, "all", nil])
        #expect([objects, named, relationship].map(\.relationship) == [nil, nil, "friends"])
        #expect(objects.objectType == User.self && relationship.objectType == User.self)
        #expect(named.objectType == nil)
        #expect(objects.methods == .any && relationship.methods == .any)
    }

    @Test func differsInEachProperty() {
        let route = Route(User.self, "users/:userID", methods: .get)
        #expect(route == Route(User.self, "users/:userID", methods: .get))
        #expect(route != Route(Member.self, "users/:userID", methods: .get))
        #expect(route != Route(User.self, "users/:name", methods: .get))
        #expect(route != Route(User.self, "users/:userID", methods: .post))
        #expect(route != Route(User.self, "users/:userID", methods: .get, encoding: .verbatim))
        #expect(
            route
                != Route(
                    relationship: "friends", of: User.self, "users/:userID", methods: .get))
    }

    @Test func describesTargetMethodsAndPath() {
        #expect(
            Route(User.self, "users/:userID", methods: [.put, .get]).description
                == #"User for GET, PUT at "users/:userID""#)
        #expect(
            Route(relationship: "friends", of: User.self, "friends").description
                == #"User.friends for any method at "friends""#)
        #expect(Route(named: "all", "a").description == #"route "all" for GET at "a""#)
    }
}
