// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestTransport
import TestSupport
import Testing

@Suite struct RouterTests {
    private func router(
        _ routes: Route..., at base: String = "http://restkit.org/"
    ) throws -> Router {
        try Router(baseURL: HTTPURL(parsing: base), routes: RouteSet(routes))
    }

    @Test(.parity("N013")) func hasBaseURLThatWasSet() throws {
        var router = try router()
        #expect(router.baseURL.text == "http://restkit.org/")
        router.baseURL = try HTTPURL(parsing: "http://google.com/")
        #expect(router.baseURL.text == "http://google.com/")
        let url = try router.url(for: RoutedPath("a", method: .get))
        #expect(url.text == "http://google.com/a")
    }

    @Test(.parity("N077")) func routesObject() throws {
        let router = try router(Route(User.self, "/users/:userID"))
        let path = try router.path(for: User(userID: 12345), method: .get)
        #expect(path.path == "/users/12345")
        #expect(path.method == .get)
        #expect(try router.url(for: path).path == "/users/12345")
    }

    @Test(.parity("N078", "N079", "S026")) func routesName() throws {
        let bookmarks = Route(named: "bookmarks", "/users/:userID/bookmarks", methods: .post)
        let router = try router(Route(named: "airlines", "/airlines.json"), bookmarks)
        let airlines = try router.path(named: "airlines")
        #expect(try router.url(for: airlines).path == "/airlines.json")
        #expect(airlines.method == .get)
        let path = try router.path(named: "bookmarks", object: User(userID: 12345))
        #expect(try router.url(for: path).path == "/users/12345/bookmarks")
        #expect(path.method == .post)
        #expect(path.route == bookmarks)
    }

    @Test(.parity("S027", "S043")) func routesRelationship() throws {
        let friends = Route(
            relationship: "friends", of: User.self, "users/:userID/friends", methods: .get)
        let router = try router(friends)
        let path = try router.path(forRelationship: "friends", of: Member(), method: .get)
        #expect(path.path == "users/12345/friends")
        #expect(path.route == friends)
        #expect(try router.url(for: path).text == "http://restkit.org/users/12345/friends")
        for (name, method) in [("enemies", HTTPRequest.Method.get), ("friends", .post)] {
            let error = #expect(throws: NetworkingError.self) {
                try router.path(forRelationship: name, of: Member(), method: method)
            }
            #expect(error?.code == .noMatchingRoute)
            #expect(error?.description.contains("no route of Member.\(name) for") == true)
        }
    }

    @Test(.parity("S023")) func appendsPathToBaseURL() throws {
        let router = try router(
            Route(User.self, "users/:userID", methods: .get),
            Route(User.self, "users", methods: .post), at: "http://restkit.org/api/v1/")
        let get = try router.path(for: User(userID: 1), method: .get)
        #expect(try router.url(for: get).text == "http://restkit.org/api/v1/users/1")
        let post = try router.path(for: User(userID: 1), method: .post)
        #expect(try router.url(for: post).text == "http://restkit.org/api/v1/users")
        let error = #expect(throws: NetworkingError.self) {
            try router.path(for: User(), method: .delete)
        }
        #expect(error?.code == .noMatchingRoute)
        #expect(error?.stage == .assembly)
        #expect(
            error?.causes == [
                "there is no route of User for DELETE; it has one for GET and one for POST"
            ])
    }

    @Test(.parity("S041")) func rejectsObjectWithoutRoute() throws {
        let router = try router(Route(User.self, "users/:userID"))
        let error = #expect(throws: NetworkingError.self) {
            try router.path(for: Author(name: "Ann"), method: .get)
        }
        #expect(error?.code == .noMatchingRoute)
        #expect(
            error?.causes == ["there is no route of Author for GET; it has none; add one"])
    }

    @Test(.parity("S044")) func rejectsNameOrItsOtherMethod() throws {
        let router = try router(
            Route(named: "popular", "popular"), Route(named: "create", "x", methods: .post))
        let unknown = #expect(throws: NetworkingError.self) { try router.path(named: "best") }
        #expect(unknown?.code == .noMatchingRoute)
        #expect(
            unknown?.causes == [
                #"there is no route "best"; the names are "popular", "create""#
            ])
        let other = #expect(throws: NetworkingError.self) {
            try router.path(named: "create", method: .get)
        }
        #expect(other?.code == .noMatchingRoute)
        #expect(other?.description.contains("it has one for POST") == true)
        #expect(try router.path(named: "create", method: .post).path == "x")
    }

    // MARK: Values

    @Test(.parity("S009", "S010")) func hasValuesOfObjectByKeyPath() throws {
        let route = Route(Person.self, "p/:name/:age/:isActive/:height/:employer.name/:age")
        let person = Person(name: "A b", age: 6, employer: Author(name: "7"))
        let path = try router(route).path(for: person, method: .get)
        #expect(path.path == "p/A%20b/6/true/1.75/7/6")
        #expect(path.route == route)
        let expected: Document = [
            "name": "A b", "age": 6, "isActive": true, "height": 1.75, "employer.name": "7",
        ]
        #expect(path.parameters == expected)
        #expect(path.arguments["age"] == "6")
        let plain = RoutedPath("p/1", method: .get)
        #expect(plain.parameters == nil && plain.route == nil && plain.arguments.isEmpty)
    }

    @Test func namedRouteWithoutObjectNeedsValues() throws {
        let router = try router(Route(named: "user", "users/:userID"))
        let error = #expect(throws: NetworkingError.self) { try router.path(named: "user") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains(#"":userID" has no value"#) == true)
    }

    @Test func nilValueIsErrorWithParameter() throws {
        let router = try router(Route(User.self, "users/:userID"))
        let error = #expect(throws: NetworkingError.self) {
            try router.path(for: User(userID: nil), method: .get)
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.causes == [#"path pattern "users/:userID": ":userID" has no value"#])
    }

    @Test func takesValuesOfDictionaryDocumentOrEncodable() throws {
        struct Place: Encodable {
            var id = 7
            var owner = Owner()
            struct Owner: Encodable { var name = "Ann Lee" }
        }
        let router = try router(
            Route(named: "place", "places/:id/:owner.name"), Route(Place.self, "places/:id"))
        let values: [Any] = [
            Place(), ["id": 7, "owner": ["name": "Ann Lee"]] as [String: Any],
            ["id": 7, "owner.name": "Ann Lee"] as [String: Any],
            ["id": 7, "owner": ["name": "Ann Lee"]] as Document,
        ]
        for value in values {
            let path = try router.path(named: "place", object: value)
            #expect(path.path == "places/7/Ann%20Lee")
            #expect(path.parameters == ["id": 7, "owner.name": "Ann Lee"])
        }
        #expect(try router.path(for: Place(), method: .get).path == "places/7")
    }

    @Test func rejectsObjectWhoseValuesHaveNoNames() throws {
        let router = try router(Route(Visitor.self, "visitors/:id"), Route(named: "a", "a"))
        let error = #expect(throws: NetworkingError.self) {
            try router.path(for: Visitor(), method: .get)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("the values of Visitor have no names") == true)
        // Without parameters no values are necessary.
        #expect(try router.path(named: "a", object: Visitor()).path == "a")
    }

    @Test func encodesValuesUnlessRouteSaysOtherwise() throws {
        let values = ["path": "a/b c"]
        let router = try router(
            Route(named: "one", "files/:path"),
            Route(named: "many", "files/:path", encoding: .verbatim))
        #expect(try router.path(named: "one", object: values).path == "files/a%2Fb%20c")
        let many = try router.path(named: "many", object: values)
        #expect(many.path == "files/a/b c")
        #expect(many.parameters == ["path": "a/b c"])
        #expect(try router.url(for: many).text == "http://restkit.org/files/a/b%20c")
    }

    // MARK: URLs

    @Test(
        .parity("S001"),
        arguments: [
            ("foo", "http://example.com/v1/foo"),
            ("foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
            ("/foo", "http://example.com/foo"), ("foo/", "http://example.com/v1/foo/"),
            ("/foo/", "http://example.com/foo/"),
        ])
    func resolvesPathAgainstBaseURL(path: String, url: String) throws {
        let router = try router(at: "http://example.com/v1/")
        #expect(try router.url(for: RoutedPath(path, method: .get)).text == url)
        let other = "http://example2.com/"
        #expect(try router.baseURL.resolving(other).text == other)
    }

    @Test func rejectsPathToOtherOrigin() throws {
        let router = try router()
        for path in ["http://example.com/", "//example.com/a"] {
            #expect(
                code { try router.url(for: RoutedPath(path, method: .get)) } == .crossOrigin)
        }
        #expect(
            code { try router.url(for: RoutedPath("http://a b/", method: .get)) }
                == .invalidRequest)
    }

    @Test func colonInFirstSegmentIsNoScheme() throws {
        let router = try router(
            Route(named: "commit", #"documents\:commit"#), at: "http://restkit.org/v1/")
        let path = try router.path(named: "commit")
        #expect(path.path == "documents:commit")
        #expect(try router.url(for: path).text == "http://restkit.org/v1/documents:commit")
    }
}
