// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import TestSupport
import Testing

/// The routes of objects and of relationships, by the object's type and its superclasses.
@Suite struct RouteInheritanceTests {
    @Test(.parity("N062")) func findsRouteOfOwnType() throws {
        let route = Route(User.self, "/users/:userID", methods: .get)
        let set = try RouteSet([route])
        #expect(set.route(forObject: User(), method: .get) == route)
        #expect(set.route(forObject: User(), method: .get)?.path == "/users/:userID")
        #expect(set.route(forObject: User(), method: .post) == nil)
        #expect(set.route(forObject: Visitor(), method: .get) == nil)
    }

    @Test(.parity("N063")) func findsRouteOfSuperclass() throws {
        let set = try RouteSet([Route(User.self, "/users/:userID", methods: .get)])
        for object in [Member(), Moderator()] {
            let found = set.route(forObject: object as Any, method: .get)
            #expect(found?.objectType == User.self)
        }
    }

    @Test(.parity("N064", "N069")) func prefersNearestClass() throws {
        let grandparent = Route(User.self, "/users/:userID/1", methods: .get)
        let parent = Route(Member.self, "/users/:userID/2", methods: .get)
        let own = Route(Moderator.self, "/users/:userID/3", methods: .get)
        for routes in [[grandparent, parent, own], [own, parent, grandparent]] {
            let set = try RouteSet(routes)
            #expect(set.route(forObject: Moderator(), method: .get) == own)
            #expect(set.route(forObject: Member(), method: .get) == parent)
            #expect(set.route(forObject: User(), method: .get) == grandparent)
        }
        let set = try RouteSet([
            own, grandparent, Route(User.self, "/users", methods: .post),
        ])
        #expect(set.route(forObject: Moderator(), method: .get) == own)
        #expect(set.route(forObject: Moderator(), method: .post)?.path == "/users")
    }

    @Test(.parity("N065", "N070")) func nearnessBeatsPrecision() throws {
        let post = Route(User.self, "/grandparent", methods: .post)
        let any = Route(Member.self, "/parent")
        let get = Route(Moderator.self, "/own", methods: .get)
        let set = try RouteSet([post, any, get])
        #expect(set.route(forObject: Moderator(), method: .post) == any)
        let other = try RouteSet([
            Route(User.self, "/superclass", methods: .get), Route(Member.self, "/own"),
        ])
        #expect(other.route(forObject: Member(), method: .get)?.path == "/own")
    }

    @Test(.parity("N066", "N071", "N072", "N073"), arguments: [MethodSet.get, [.get, .head]])
    func prefersPreciseMethodOfOneClass(methods: MethodSet) throws {
        let precise = Route(User.self, "/users/:userID/1", methods: methods)
        let any = Route(User.self, "/users/:userID/2")
        for routes in [[precise, any], [any, precise]] {
            let set = try RouteSet(routes)
            for object in [User(), Member()] {
                #expect(set.route(forObject: object, method: .get) == precise)
                #expect(set.route(forObject: object, method: .post) == any)
            }
        }
        let posting = try RouteSet([any, Route(User.self, "/users", methods: .post)])
        #expect(posting.route(forObject: User(), method: .post)?.path == "/users")
    }

    @Test(.parity("N067", "N068")) func listsRoutesOfTypeOrObject() throws {
        let get = Route(User.self, "/1", methods: .get)
        let post = Route(User.self, "/2", methods: .post)
        let own = Route(Moderator.self, "/3", methods: .get)
        let set = try RouteSet([get, own, post, Route(Visitor.self, "/4")])
        #expect(set.routes(for: User.self) == [get, post])
        #expect(set.routes(for: Moderator.self) == [own])
        #expect(set.routes(forObject: Moderator()) == [own, get, post])
        #expect(set.routes(forObject: Member()) == [get, post])
    }

    @Test func valueHasRouteOfExactTypeOnly() throws {
        let set = try RouteSet([
            Route(Article.self, "articles/:id"), Route(Any.self, "anything"),
            Route((any Equatable).self, "equatable"), Route(Article?.self, "optional"),
        ])
        let article = Article(id: 1, title: "a")
        #expect(set.route(forObject: article, method: .get)?.path == "articles/:id")
        #expect(set.route(forObject: Author(name: "a"), method: .get) == nil)
        #expect(set.routes(forObject: [article]).isEmpty)
    }

    // MARK: Relationships

    @Test(.parity("N074", "N075"), arguments: [MethodSet.get, .any])
    func findsRouteOfRelationship(methods: MethodSet) throws {
        let route = Route(
            relationship: "friends", of: User.self, "/users/:userID/friends", methods: methods)
        let set = try RouteSet([route])
        let found = set.route(forRelationship: "friends", of: User.self, method: .get)
        #expect(found == route)
        #expect(found?.relationship == "friends")
        #expect(found?.path == "/users/:userID/friends")
        #expect(found?.methods == methods)
        #expect(set.route(forRelationship: "enemies", of: User.self, method: .get) == nil)
        #expect(set.route(forRelationship: "friends", of: Visitor.self, method: .get) == nil)
    }

    @Test(.parity("N076")) func listsRoutesOfRelationship() throws {
        let friends = [MethodSet.get, .post].map {
            Route(relationship: "friends", of: User.self, "/friends", methods: $0)
        }
        let enemies = Route(relationship: "enemies", of: User.self, "/enemies", methods: .get)
        let set = try RouteSet(friends + [enemies])
        #expect(set.routes(forRelationship: "friends", of: User.self) == friends)
        #expect(set.routes(forRelationship: "friends", of: Member.self) == friends)
    }

    @Test func relationshipIsInheritedAndCombinesMethods() throws {
        let inherited = Route(
            relationship: "friends", of: User.self, "/users", methods: [.get, .post])
        let own = Route(relationship: "friends", of: Moderator.self, "/own", methods: .post)
        let set = try RouteSet([inherited, own])
        #expect(set.route(forRelationship: "friends", of: Member.self, method: .get) == inherited)
        #expect(set.route(forRelationship: "friends", of: Moderator.self, method: .post) == own)
        #expect(
            set.route(forRelationship: "friends", of: Moderator.self, method: .get) == inherited)
    }
}
