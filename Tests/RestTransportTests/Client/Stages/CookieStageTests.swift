// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct CookieStageTests {
    private static let handler: LoopbackServer.Handler = { request in
        switch request.path {
        case "/set":
            LoopbackResponse(headers: [
                ("Set-Cookie", "session=canary; Path=/; Expires=Fri, 31 Dec 2100 23:59:59 GMT"),
                ("Set-Cookie", "theme=dark; Path=/; HttpOnly"),
            ])
        case "/go":
            LoopbackResponse(
                status: 302,
                headers: [
                    ("Location", request.query.isEmpty ? "/end" : request.query),
                    ("Set-Cookie", "hop=1; Path=/"),
                ])
        default: LoopbackResponse()
        }
    }

    private static func cookie(_ server: LoopbackServer) -> String? {
        server.requests.last?.headers["cookie"]
    }

    @Test(.threat("T26"), arguments: Adapter.allCases)
    func storesNoCookiesWithoutJar(adapter: Adapter) async throws {
        try await LoopbackServer.run(Self.handler) { server in
            try await adapter.run(server.baseURL) { client in
                _ = try await client.read("set")
                _ = try await client.read("plain")
                #expect(Self.cookie(server) == nil)
                _ = try await client.read("go")
                #expect(server.requests.last?.path == "/end")
                #expect(Self.cookie(server) == nil)
                // A Cookie field of the caller is unchanged.
                let own = try client.request(at: "set", headerFields: [.cookie: "mine=1"])
                _ = try await client.send(own)
                #expect(Self.cookie(server) == "mine=1")
            }
            try await adapter.run(server.baseURL) { client in
                _ = try await client.read("plain")
                #expect(Self.cookie(server) == nil)
            }
        }
    }

    @Test(.threat("T26"), arguments: Adapter.allCases)
    func separatesCookiesByClientPrincipalAndOrigin(adapter: Adapter) async throws {
        try await LoopbackServer.run(Self.handler) { other in
            let otherBase = other.baseURL
            try await LoopbackServer.run(Self.handler) { server in
                try await adapter.run(server.baseURL) { client in
                    var client = client
                    client.cookieJar = CookieJar()
                    var second = client
                    second.cookieJar = CookieJar()
                    _ = try await client.read("set")
                    _ = try await client.read("plain")
                    #expect(Self.cookie(server) == "session=canary; theme=dark")
                    // Another client with the same transport.
                    _ = try await second.read("plain")
                    #expect(Self.cookie(server) == nil)
                    // Another origin of the same host, directly or after a redirect.
                    let elsewhere = TransportRequest(url: try HTTPURL(parsing: otherBase))
                    _ = try await client.send(elsewhere)
                    #expect(Self.cookie(other) == nil)
                    _ = try await client.read("go?\(otherBase)end")
                    #expect(other.requests.last?.path == "/end")
                    #expect(Self.cookie(other) == nil)
                    // A redirect within the origin carries the cookie that it has set.
                    _ = try await client.read("go")
                    #expect(Self.cookie(server) == "session=canary; theme=dark; hop=1")
                    // Another principal, and the first one again.
                    client.principal = Principal("ann")
                    _ = try await client.read("plain")
                    #expect(Self.cookie(server) == nil)
                    client.principal = nil
                    let own = try client.request(at: "plain", headerFields: [.cookie: "mine=1"])
                    _ = try await client.send(own)
                    #expect(Self.cookie(server) == "mine=1")
                    client.cookieJar?.removeAll(of: nil)
                    _ = try await client.read("plain")
                    #expect(Self.cookie(server) == nil)
                }
            }
        }
    }

    @Test func usesClockOfTheClient() async throws {
        let clock = ManualClock()
        let stub = StubTransport { request in
            .stub(headerFields: [.setCookie: "a=1; Max-Age=10"], to: request)
        }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        client.cookieJar = CookieJar()
        client.clock = clock
        _ = try await client.read("set")
        clock.advance(by: .seconds(9))
        _ = try await client.read("a")
        // The last response has set the cookie again.
        clock.advance(by: .seconds(9))
        _ = try await client.read("b")
        clock.advance(by: .seconds(10))
        _ = try await client.read("c")
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil, "a=1", "a=1", nil])
    }

    @Test func omitsStrictCookiesAfterCrossSiteRedirect() async throws {
        let stub = StubTransport { request in
            let location: String? =
                switch request.url.path {
                case "/start": "https://evil.example/"
                case "/": "https://h.example/end"
                default: nil
                }
            var fields = HTTPFields()
            fields[.location] = location
            return .stub(location == nil ? .ok : .seeOther, headerFields: fields, to: request)
        }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        let jar = CookieJar()
        client.cookieJar = jar
        for field in [
            "strict=1; SameSite=Strict", "lax=2; SameSite=Lax", "default=3",
            "none=4; SameSite=None; Secure",
        ] {
            jar.set(field, from: client.baseURL, at: client.clock.date)
        }
        jar.set(
            "own=5", from: try HTTPURL(parsing: "https://evil.example/"), at: client.clock.date)
        _ = try await client.read("start")
        #expect(
            stub.requests.map { $0.headerFields[.cookie] } == [
                "strict=1; lax=2; default=3; none=4", "own=5", "lax=2; default=3; none=4",
            ])
    }

    @Test(arguments: ["a", "b"]) func ignoresCookiesOfInterceptorResponses(
        path: String
    ) async throws {
        struct AnsweringInterceptor: HTTPInterceptor {
            func send(
                _ request: TransportRequest, through next: InterceptorChain
            ) async throws -> TransportResponse {
                .stub(headerFields: [.setCookie: "a=1"], to: request)
            }
        }
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        client.cookieJar = CookieJar()
        if path == "a" {
            client.interceptors = [AnsweringInterceptor()]
        } else {
            client.networkInterceptors = [AnsweringInterceptor()]
        }
        _ = try await client.read(path)
        client.interceptors = []
        client.networkInterceptors = []
        _ = try await client.read(path)
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil])
    }
}
