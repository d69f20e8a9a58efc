// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ObjectManagerRoutedRequestsTests {
    private func api(at base: String = "http://localhost:4567") throws -> ObjectManager {
        let api = try manager(at: base)
        try api.add(
            Route(Article.self, "/humans/:id"), Route(Article.self, "/humans", methods: .post),
            Route(named: "popular", "/humans/:id/popular"),
            Route(named: "publish", "/humans/:id/publish", methods: .post),
            Route(relationship: "comments", of: Article.self, "/humans/:id/comments"))
        return api
    }

    private let article = Article(id: 204, title: "t")

    @Test(.parity("N140", "N141"), arguments: [HTTPRequest.Method.get, .delete])
    func routesObjectWithoutSendingIt(method: HTTPRequest.Method) throws {
        let api = try api()
        try api.add(RequestDescriptor(Article.self))
        let request = try api.request(for: article, method: method, parameters: ["this": "that"])
        #expect(request.url.text == "http://localhost:4567/humans/204?this=that")
        #expect(request.body.isEmpty)
    }

    @Test(.parity("S023")) func classRouteGivesPath() throws {
        let api = try api()
        #expect(
            try api.request(for: article, method: .put).url.text
                == "http://localhost:4567/humans/204")
        #expect(
            try api.request(for: article, method: .post).url.text
                == "http://localhost:4567/humans")
        let error = #expect(throws: NetworkingError.self) {
            try api.request(for: Author(name: "a"), method: .get)
        }
        #expect(error?.code == .noMatchingRoute)
    }

    @Test func routeOfObjectIsTargetOfOtherObjects() throws {
        let api = try api()
        try api.setRequestFormat(.json)
        let read = try api.request(.get, at: .route(of: article), parameters: ["a": 1])
        #expect(read.url.text == "http://localhost:4567/humans/204?a=1")
        let author = Author(name: "Ann")
        let written = try api.request(for: author, method: .put, at: .route(of: article))
        #expect(written.url.text == "http://localhost:4567/humans/204")
        #expect(body(of: written) == #"{"name":"Ann"}"#)
        // The route is that of the method.
        let posted = try api.request(for: author, method: .post, at: .route(of: article))
        #expect(posted.url.text == "http://localhost:4567/humans")
        let unused = #expect(throws: NetworkingError.self) {
            try api.request(for: author, method: .get, at: .route(of: article))
        }
        #expect(unused?.code == .invalidRequest)
        let unrouted = #expect(throws: NetworkingError.self) {
            try api.request(.get, at: .route(of: author))
        }
        #expect(unrouted?.code == .noMatchingRoute)
    }

    @Test(.parity("S026")) func namedRouteGivesPathAndMethod() throws {
        let api = try api()
        try api.setRequestFormat(.json)
        let request = try api.request(
            for: article, at: .route(named: "publish"), parameters: ["title": "u"])
        #expect(request.method == .post)
        #expect(request.url.text == "http://localhost:4567/humans/204/publish")
        #expect(body(of: request) == #"{"id":204,"title":"u","tags":[]}"#)
        let popular = try api.request(
            for: article, at: .route(named: "popular"), parameters: ["a": 1])
        #expect(popular.method == .get)
        #expect(popular.url.text == "http://localhost:4567/humans/204/popular?a=1")
        #expect(popular.body.isEmpty)
        try api.add(Route(named: "all", "/all"))
        #expect(try api.request(at: .route(named: "all")).url.text == "http://localhost:4567/all")
        #expect(code { try api.request(at: .route(named: "none")) } == .noMatchingRoute)
    }

    @Test(.parity("S027")) func relationshipRouteGivesPath() throws {
        let api = try api()
        try api.setRequestFormat(.json)
        let request = try api.request(
            .post, at: .relationship("comments", of: article), parameters: ["text": "x"])
        #expect(request.url.text == "http://localhost:4567/humans/204/comments")
        #expect(body(of: request) == #"{"text":"x"}"#)
        let error = #expect(throws: NetworkingError.self) {
            try api.request(at: .relationship("likes", of: article))
        }
        #expect(error?.code == .noMatchingRoute)
    }

    @Test(.tags(.socket), .parity("N183", "S043", "S044"))
    func getsObjectsOfRoutes() async throws {
        try await serve(#"[{"id": 1, "title": "a"}]"#) { api, server in
            let expected = [Article(id: 1, title: "a")]
            #expect(
                try await api.getObjects(Article.self, at: .relationship("comments", of: article))
                    == expected)
            #expect(
                try await api.getObjects(Article.self, at: .route(named: "popular", of: article))
                    == expected)
            try api.add(
                Route(named: "fixed", "/JSON/humans/1.json"),
                Route(named: "send", "/s", methods: .post))
            #expect(
                try await api.getObjects(Article.self, at: .route(named: "fixed"))
                    == expected)
            #expect(
                server.requests.map(\.target)
                    == ["/humans/204/comments", "/humans/204/popular", "/JSON/humans/1.json"])
            for name in ["none", "send"] {
                let error = await networkingError {
                    try await api.getObjects(Article.self, at: .route(named: name))
                }
                #expect(error?.code == .noMatchingRoute)
            }
            let error = await networkingError {
                try await api.getObjects(at: .relationship("likes", of: article))
            }
            #expect(error?.code == .noMatchingRoute)
        }
    }

    @Test(.tags(.socket), .parity("S041"))
    func sendsEachMethodToRouteOfObject() async throws {
        try await serve(#"{"id": 1, "title": "after"}"#) { api, server in
            let after = Article(id: 1, title: "after")
            #expect(try await api.get(article) == after)
            #expect(try await api.post(article, as: Article.self) == after)
            #expect(try await api.put(article, as: Article.self) == after)
            #expect(try await api.patch(article, as: Article.self) == after)
            try await api.delete(article)
            #expect(
                server.requests.map { "\($0.method) \($0.target)" }
                    == [
                        "GET /humans/204", "POST /humans", "PUT /humans/204",
                        "PATCH /humans/204", "DELETE /humans/204",
                    ])
            // Without an object there has to be a path.
            let error = await networkingError { try await api.post([article]) }
            #expect(error?.code == .noMatchingRoute)
        }
    }

    @Test(.tags(.socket), .parity("N278", "N281", "N282", "S009", "S010"))
    func mapsValuesOfRoute() async throws {
        try await serve(#"{"name": "Blake Watters"}"#) { api, _ in
            let mapping = ObjectMapping(
                for: Profile.self,
                ["name": "name", "@metadata.routing.parameters.id": "age"])
            try api.add(ResponseDescriptor(mapping))
            let profiles = try await api.getObjects(
                Profile.self, at: .route(named: "popular", of: article))
            #expect(profiles.map(\.name) == ["Blake Watters"])
            #expect(profiles.map(\.age) == [204])
            let query = ObjectMapping(
                for: Profile.self, ["name": "name", "@metadata.query.parameters.userID": "age"])
            try api.add(ResponseDescriptor(query))
            let found = try await api.getObjects(
                Profile.self, at: .route(named: "popular", of: article),
                parameters: ["userID": "12"])
            #expect(found.map(\.age) == [12])
            let unset = try await api.getObjects(
                Profile.self, at: .route(named: "popular", of: article),
                parameters: ["other": 1])
            #expect(unset.map(\.age) == [0])
            let route = ObjectMapping(
                for: Profile.self, ["@metadata.routing.route.name": "name"])
            try api.add(ResponseDescriptor(route))
            let named = try await api.getObjects(
                Profile.self, at: .route(named: "popular", of: article))
            #expect(named.map(\.name) == ["popular"])
        }
    }

    @Test(.parity("N283")) func keepsValuesOfRouteForDelete() throws {
        let api = try api()
        let assembled = try api.assemble(
            ObjectRequest<Void>(.delete, at: .object, object: RequestObject(article)))
        #expect(assembled.metadata.routing?.root["parameters"]?["id"]?.int64 == 204)
        let path = try api.assemble(ObjectRequest<Void>(.delete, at: "humans/204"))
        #expect(path.metadata.routing == nil)
    }

    @Test(.parity("S107")) func customizesParametersAfterRouting() throws {
        let api = try manager(at: "http://base")
        try api.setRequestFormat(.json)
        try api.add(Route(Project.self, "projects/:title"))
        let request = try api.request(
            for: Project(title: "P"), method: .put, parameters: ["extra": 1])
        // The hook sees the parameters of the caller, and its own do not change the path.
        #expect(request.url.text == "http://base/projects/P")
        #expect(
            body(of: request)
                == #"{"project_title":"P","extra":1,"sent":true}"#)
    }

    /// Notes the body that an operation has when it is about to be enqueued.
    private struct Enqueued: OperationKind {
        let bodies: Log<String>

        func willEnqueue(_ operation: RequestOperation) {
            operation.priority = .high
            bodies.append(String(decoding: operation.request.body.bytes ?? [], as: UTF8.self))
        }
    }

    @Test(.parity("S107")) func customizesBeforeEnqueueing() throws {
        let api = try manager(at: "http://base")
        try api.setRequestFormat(.json)
        try api.add(Route(Project.self, "projects/:title"))
        let bodies = Log<String>()
        api.configure { $0.operationQueue = ObjectRequestQueue() }
        api.register(Enqueued(bodies: bodies))
        api.operationQueue.isSuspended = true
        let operation = try api.operation(
            for: RequestObject(Project(title: "P")), method: .put)
        #expect(bodies.elements.isEmpty)
        try api.enqueue(operation)
        defer { operation.cancel() }
        #expect(bodies.elements == [#"{"project_title":"P","sent":true}"#])
        #expect(operation.priority == .high)
    }

    private func serve(
        _ body: String, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            try await work(api(at: server.baseURL), server)
        }
    }
}
