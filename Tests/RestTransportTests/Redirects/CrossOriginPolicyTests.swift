// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The header fields that other origins receive of a request with canaries from all sources.
@Suite struct CrossOriginPolicyTests {
    /// A start and the target of its redirect, which redirects back to the origin of the start.
    private static let routes: [(start: String, target: String)] = [
        ("http://a.example/", "http://a.example:8080/x"),
        ("http://a.example/", "http://b.example/x"),
        ("http://a.example/", "http://sub.a.example/x"),
        ("http://sub.a.example/", "http://a.example/x"),
        ("http://a.example/", "http://a.example.evil/x"),
        ("http://a.example/", "https://a.example/x"),
        ("http://a.example/", "https://a.example:80/x"),
        ("https://a.example/", "https://a.example:8443/x"),
        ("https://a.example/", "http://a.example/x"),
        ("https://a.example:80/", "http://a.example/x"),
    ]

    private func client(
        at base: String, _ transport: some HTTPTransport
    ) throws -> HTTPClient {
        var client = try HTTPClient(baseURL: base, transport: transport)
        client.defaultHeaders = try Canaries.fields
        client.credential = BearerToken("canary")
        client.interceptors = [AddingFields(fields: try Canaries.outerFields)]
        client.networkInterceptors = [AddingFields(fields: try Canaries.innerFields)]
        let jar = CookieJar()
        jar.set("canary=1; Path=/", from: try HTTPURL(parsing: base))
        client.cookieJar = jar
        client.redirects.allowsInsecureTarget = true
        return client
    }

    /// Returns a transport that redirects from `/` to the target and from there to `/home` of the
    /// start.
    private func transport(start: String, target: String, _ status: Int) -> StubTransport {
        StubTransport { request in
            let location: String? =
                switch request.url.text {
                case start: target
                case target: start + "home"
                default: nil
                }
            var fields: HTTPFields = [:]
            fields[.location] = location
            return .stub(
                HTTPResponse.Status(code: location == nil ? 200 : status), headerFields: fields,
                to: request)
        }
    }

    private func canaries(of request: TransportRequest) -> Set<String> {
        Set(
            request.headerFields.map(\.name.canonicalName)
                .filter { !["accept", "user-agent"].contains($0) })
    }

    @Test(.threat("T21"), arguments: routes, [301, 302, 303, 307, 308])
    func hidesFieldsFromOtherOrigins(route: (start: String, target: String), status: Int)
        async throws
    {
        let stub = transport(start: route.start, target: route.target, status)
        let response = try await client(at: route.start, stub).read(route.start)
        #expect(response.isEmpty)
        let requests = stub.requests
        try #require(requests.map(\.url.text) == [route.start, route.target, route.start + "home"])
        #expect(canaries(of: requests[0]) == Canaries.all)
        #expect(canaries(of: requests[1]).isEmpty)
        // Dropped fields do not return; the cookie of the jar belongs to the origin.
        #expect(canaries(of: requests[2]) == ["cookie"])
        #expect(requests[2].headerFields[.cookie] == "canary=1")
        #expect(requests.allSatisfy { $0.headerFields[.accept] == "application/json" })
    }

    @Test(.threat("T21"), arguments: [301, 302, 303, 307, 308])
    func keepsFieldsWithinOrigin(status: Int) async throws {
        let start = "http://a.example/"
        let stub = transport(start: start, target: "http://a.example:80/x", status)
        let client = try client(at: start, stub)
        _ = try await client.read("")
        #expect(stub.requests.count == 2)
        #expect(stub.requests.allSatisfy { canaries(of: $0) == Canaries.all })
    }

    @Test(.threat("T21"), arguments: routes)
    func keepsFieldsAmongTrustedOrigins(route: (start: String, target: String)) async throws {
        let stub = transport(start: route.start, target: route.target, 307)
        var client = try client(at: route.start, stub)
        client.redirects.trustedOrigins = [try HTTPURL(parsing: route.target).origin]
        _ = try await client.read(route.start)
        #expect(stub.requests.count == 3)
        #expect(stub.requests.allSatisfy { canaries(of: $0).isSuperset(of: Canaries.fromCaller) })
    }

    @Test func filtersFieldsOfRequestsRebuiltByInterceptors() async throws {
        struct RebuildingInterceptor: HTTPInterceptor {
            func send(
                _ request: TransportRequest, through next: InterceptorChain
            ) async throws -> TransportResponse {
                var fields = request.headerFields
                fields[.authorization] = "canary"
                return try await next.send(
                    TransportRequest(url: request.url, headerFields: fields))
            }
        }
        let stub = transport(
            start: "http://a.example/", target: "http://b.example/", 302)
        var client = try HTTPClient(baseURL: "http://a.example/", transport: stub)
        client.networkInterceptors = [RebuildingInterceptor(), RebuildingInterceptor()]
        _ = try await client.read("")
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["canary", nil, nil])
    }

    @Test(.threat("T22"), arguments: [301, 302, 303, 307, 308])
    func neverDowngradesToHTTP(status: Int) async throws {
        let stub = transport(
            start: "https://a.example/", target: "http://a.example/x", status)
        var client = try client(at: "https://a.example/", stub)
        client.redirects = RedirectPolicy()
        for trusted in [[], [try HTTPURL(parsing: "http://a.example/").origin]] {
            client.redirects.trustedOrigins = Set(trusted)
            let error = await transportError { _ = try await client.read("") }
            #expect(error?.code == .redirectRefused)
            #expect(error?.url == "https://a.example/")
        }
        #expect(stub.requests.allSatisfy { $0.url.scheme == .https })
    }
}
