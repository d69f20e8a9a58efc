// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// What other origins see of a request that has canaries in every place they can come from.
@Suite struct RedirectOriginTests {
    /// A redirect and what it leads through; the way home is always taken.
    private static let ways: [(start: String, target: String)] = [
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

    /// Leads from `/` to the target and from there to `/home` of the start.
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

    @Test(.threat("T21"), arguments: ways, [301, 302, 303, 307, 308])
    func showsStrangersNothing(way: (start: String, target: String), status: Int) async throws {
        let stub = transport(start: way.start, target: way.target, status)
        let response = try await client(at: way.start, stub).read(way.start)
        #expect(response.isEmpty)
        let requests = stub.requests
        try #require(requests.map(\.url.text) == [way.start, way.target, way.start + "home"])
        #expect(canaries(of: requests[0]) == Canaries.all)
        #expect(canaries(of: requests[1]).isEmpty)
        // Nothing that was dropped comes back; the jar's cookie is the server's own.
        #expect(canaries(of: requests[2]) == ["cookie"])
        #expect(requests[2].headerFields[.cookie] == "canary=1")
        #expect(requests.allSatisfy { $0.headerFields[.accept] == "application/json" })
    }

    @Test(.threat("T21"), arguments: [301, 302, 303, 307, 308])
    func keepsEverythingAtHome(status: Int) async throws {
        let start = "http://a.example/"
        let stub = transport(start: start, target: "http://a.example:80/x", status)
        let client = try client(at: start, stub)
        _ = try await client.read("")
        #expect(stub.requests.count == 2)
        #expect(stub.requests.allSatisfy { canaries(of: $0) == Canaries.all })
    }

    @Test(.threat("T21"), arguments: ways)
    func keepsEverythingAmongTrustedOrigins(way: (start: String, target: String)) async throws {
        let stub = transport(start: way.start, target: way.target, 307)
        var client = try client(at: way.start, stub)
        client.redirects.trustedOrigins = [try HTTPURL(parsing: way.target).origin]
        _ = try await client.read(way.start)
        #expect(stub.requests.count == 3)
        #expect(stub.requests.allSatisfy { canaries(of: $0).isSuperset(of: Canaries.fromCaller) })
    }

    @Test func sendsNoFieldThatAnInterceptorMakesARequestAnewWith() async throws {
        struct Renewing: HTTPInterceptor {
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
        client.networkInterceptors = [Renewing(), Renewing()]
        _ = try await client.read("")
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["canary", nil, nil])
    }

    @Test(.threat("T22"), arguments: [301, 302, 303, 307, 308])
    func neverGivesUpEncryption(status: Int) async throws {
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

/// Puts header fields on every request that passes.
struct AddingFields: HTTPInterceptor {
    let fields: HTTPFields

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        var request = request
        for field in fields { request.headerFields[field.name] = field.value }
        return try await next.send(request)
    }
}

/// Header fields that no stranger may see, each named after itself.
enum Canaries {
    private static let callerNames = [
        "proxy-authorization", "x-api-key", "x-tenant", "if-none-match", "referer", "origin",
    ]
    private static let outerNames = ["x-outer", "x-signature"]
    private static let innerNames = ["x-inner", "x-request-id", "traceparent"]

    /// Those that are set once, when the request is sent.
    static let fromCaller = Set(callerNames + outerNames + ["authorization"])

    /// All of them.
    static let all = fromCaller.union(innerNames).union(["cookie"])

    /// What is said of default headers, with two that anyone may see.
    static var fields: HTTPFields {
        get throws {
            var fields = try fields(callerNames)
            fields[.accept] = "application/json"
            fields[.userAgent] = "test"
            return fields
        }
    }

    /// What interceptors around requests add.
    static var outerFields: HTTPFields { get throws { try fields(outerNames) } }

    /// What interceptors around exchanges add.
    static var innerFields: HTTPFields { get throws { try fields(innerNames) } }

    private static func fields(_ names: [String]) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        for name in names { try fields.set("canary=\(name)", for: name) }
        return fields
    }
}
