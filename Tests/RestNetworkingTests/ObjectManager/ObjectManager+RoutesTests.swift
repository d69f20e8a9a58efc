// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestNetworking
import RestTransport
import TestSupport
import Testing

@Suite struct ObjectManagerRoutesTests {
    private let users = Route(User.self, "users/:userID")
    private let popular = Route(named: "popular", "articles/popular")

    @Test(.parity("S007")) func routerHasBaseURLOfClient() throws {
        let api = try manager(at: "http://restkit.org/api")
        #expect(api.router.baseURL == api.baseURL)
        #expect(api.router.baseURL.text == "http://restkit.org/api/")
        try api.add(users)
        try api.configure {
            $0.client = try HTTPClient(baseURL: "http://google.com/v2/", transport: CurlTransport())
        }
        #expect(api.router.baseURL.text == "http://google.com/v2/")
        let path = try api.router.path(for: User(userID: 7), method: .get)
        #expect(try api.router.url(for: path).text == "http://google.com/v2/users/7")
    }

    @Test(.parity("S008")) func swapsRoutesAtRunTime() throws {
        let api = try manager(at: "http://restkit.org/")
        #expect(api.routes == RouteSet())
        try api.add(users, popular)
        #expect(api.routes.allRoutes == [users, popular])
        let router = api.router
        try api.remove(users)
        try api.add(Route(User.self, "people/:userID"))
        #expect(try api.router.path(for: User(), method: .get).path == "people/12345")
        // A router keeps the routes that it was created with.
        #expect(try router.path(for: User(), method: .get).path == "users/12345")
        try api.configure { $0.routes = try RouteSet([Route(User.self, "stub")]) }
        #expect(try api.router.path(for: User(), method: .get).path == "stub")
        #expect(api.routes.allRoutes.count == 1)
    }

    @Test func addsAndRemovesAllRoutesOrNone() throws {
        let api = try manager(at: "http://restkit.org/")
        try api.add(users)
        #expect(code { try api.add(popular, users) } == .duplicateRoute)
        #expect(code { try api.add([popular, Route(User.self, ":a:b")]) } == .invalidConfiguration)
        #expect(code { try api.remove(users, popular) } == .noMatchingRoute)
        #expect(api.routes.allRoutes == [users])
    }

    @Test func addsRoutesOfManyTasks() async throws {
        let api = try manager(at: "http://restkit.org/")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    #expect(throws: Never.self) {
                        try api.add(Route(named: "\(number)", "routes/\(number)"))
                    }
                }
            }
        }
        #expect(api.routes.allRoutes.count == 100)
    }
}
