// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct AuthorizationInterceptorTests {
    /// An authorizer that provides the tokens t1, t2 and so on.
    final class Tokens: Authorizer {
        typealias Refresh =
            @Sendable (Int, BearerToken?, InterceptorChain) async throws ->
            BearerToken?

        /// An authorizer that provides only one token.
        static var single: Tokens {
            Tokens { number, _, _ in number == 1 ? BearerToken("t1") : nil }
        }

        let count = Count()
        let previous = Mutex<[BearerToken?]>([])
        let principals = Mutex<[Principal?]>([])
        let refresh: Refresh

        init(_ refresh: @escaping Refresh = { number, _, _ in BearerToken("t\(number)") }) {
            self.refresh = refresh
        }

        func credential(
            after previous: BearerToken?, for principal: Principal?, through next: InterceptorChain
        ) async throws -> BearerToken? {
            self.previous.withLock { $0.append(previous) }
            principals.withLock { $0.append(principal) }
            return try await refresh(count.up(), previous, next)
        }
    }

    struct Failure: Error {}

    /// Returns a transport that accepts one token and refuses all others.
    static func transport(accepting token: String) -> StubTransport {
        StubTransport { request in
            let isAccepted = request.headerFields[.authorization] == "Bearer \(token)"
            return .stub(isAccepted ? .ok : .unauthorized, to: request)
        }
    }

    @Test func keepsExistingAuthorizationField() async throws {
        let transport = StubTransport { .stub(.unauthorized, to: $0) }
        let authorizer = Tokens()
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        let request = try client.request(at: "a", headerFields: [.authorization: "mine"])
        #expect(try await client.send(request).status == .unauthorized)
        #expect(transport.tokens == ["mine"])
        #expect(authorizer.count.value == 0)
    }

    @Test(arguments: ["http://api.test/", "https://api.test:444/", "https://www.api.test/"])
    func sendsCredentialsOnlyToAllowedOrigins(origin: String) async throws {
        let transport = StubTransport { .stub(.unauthorized, to: $0) }
        let authorizer = Tokens()
        var client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        let foreign = TransportRequest(url: try HTTPURL(parsing: "\(origin)x"))
        #expect(try await client.send(foreign).status == .unauthorized)
        #expect(transport.tokens == [nil])
        #expect(authorizer.count.value == 0)

        var configuration = AuthorizationConfiguration()
        configuration.origins = [foreign.url.origin]
        client.interceptors = [
            AuthorizationInterceptor(Tokens.single, configuration: configuration)
        ]
        _ = try await client.send(foreign)
        _ = try await client.status("a")
        #expect(transport.tokens == [nil, "Bearer t1", nil])
    }

    @Test(arguments: [false, true])
    func withholdsCredentialAfterCrossOriginRedirect(isAroundExchanges: Bool) async throws {
        let transport = StubTransport { request in
            switch request.url.text {
            case "https://api.test/v1/a":
                .stub(.found, headerFields: [.location: "https://other.test/b"], to: request)
            case "https://other.test/b":
                .stub(.found, headerFields: [.location: "https://other.test/c"], to: request)
            default: .stub(.unauthorized, to: request)
            }
        }
        let authorizer = Tokens()
        var client = try HTTPClient(transport)
        let interceptor = AuthorizationInterceptor(authorizer)
        if isAroundExchanges {
            client.networkInterceptors = [interceptor]
        } else {
            client.interceptors = [interceptor]
        }
        #expect(try await client.status("a") == 401)
        // The refusal comes from another origin, so no refresh is needed.
        #expect(transport.tokens == ["Bearer t1", nil, nil])
        #expect(authorizer.count.value == 1)
    }

    @Test func resendsOnceAfterRefresh() async throws {
        let transport = Self.transport(accepting: "t2")
        let authorizer = Tokens()
        let interceptor = AuthorizationInterceptor(authorizer)
        let client = try HTTPClient(transport, interceptors: [interceptor])
        let body = MessageBody.bytes(Array("once".utf8))
        let request = try client.request(.post, at: "a", body: body)
        #expect(try await client.send(request).status == .ok)
        #expect(transport.tokens == ["Bearer t1", "Bearer t2"])
        #expect(transport.requests.map(\.body) == [body, body])
        #expect(authorizer.previous.withLock { $0 } == [nil, BearerToken("t1")])
        #expect(interceptor.credential() == BearerToken("t2"))
        #expect(try await client.status("b") == 200)
        #expect(authorizer.count.value == 2)
    }

    @Test func deliversSecondRefusal() async throws {
        let transport = StubTransport { request in
            .stub(.unauthorized, body: Array("no".utf8), to: request)
        }
        let authorizer = Tokens()
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        let response = try await client.send(try client.request(at: "a"))
        #expect(response.status == .unauthorized)
        #expect(try await response.collect() == Array("no".utf8))
        #expect(transport.tokens == ["Bearer t1", "Bearer t2"])
    }

    @Test func deliversRefusalWithoutNewCredential() async throws {
        let body = TwoChunkBody(Array(repeating: 1, count: 70_000), [2])
        let transport = StubTransport { request in
            TransportResponse(
                to: request, head: HTTPResponse(status: .unauthorized),
                body: ResponseBody(source: body))
        }
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(Tokens.single)])
        let response = try await client.send(try client.request(at: "a"))
        #expect(response.status == .unauthorized)
        #expect(try await response.collect().count == 70_001)
        #expect(transport.tokens == ["Bearer t1"])
    }

    @Test func detectsRefusalsWithPredicate() async throws {
        let transport = StubTransport { request in
            let isFirst = request.headerFields[.authorization] == "Bearer t1"
            return .stub(isFirst ? .forbidden : .ok, to: request)
        }
        var configuration = AuthorizationConfiguration()
        configuration.isRefusal = { $0.status == .forbidden }
        let client = try HTTPClient(
            transport,
            interceptors: [AuthorizationInterceptor(Tokens(), configuration: configuration)])
        #expect(try await client.status("a") == 200)
        #expect(transport.tokens == ["Bearer t1", "Bearer t2"])
    }

    @Test func failsWhenNoCredentialIsAvailable() async throws {
        let transport = Self.transport(accepting: "none")
        let authorizer = Tokens { number, _, _ in
            if number > 1 { throw Failure() }
            return BearerToken("t1")
        }
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        for number in 2...3 {
            let error = await transportError { _ = try await client.status("a?token=secret") }
            #expect(error?.code == .authorizationFailed)
            #expect(error?.stage == .preparing)
            #expect(error?.underlying is Failure)
            #expect(
                error?.description
                    == "authorizationFailed while preparing: GET https://api.test/v1/a?…: "
                    + "no credential available")
            #expect(authorizer.count.value == number)
        }
        // The refused token is not sent again.
        #expect(transport.tokens == ["Bearer t1"])
    }

    @Test(arguments: [false, true])
    func passesRequestsOfTheAuthorizer(throughTheSameClient: Bool) async throws {
        let transport = StubTransport { request in
            if request.url.path == "/v1/token" { return .json("t9", to: request) }
            let isAccepted = request.headerFields[.authorization] == "Bearer t9"
            return .stub(isAccepted ? .ok : .unauthorized, to: request)
        }
        let box = Mutex<HTTPClient?>(nil)
        let authorizer = Tokens { _, _, next in
            let url = try HTTPURL(parsing: "https://api.test/v1/token")
            let request = TransportRequest(method: .post, url: url)
            let client = box.withLock { $0 }
            let response =
                throughTheSameClient
                ? try await client?.send(request) : try await next.send(request)
            let bytes = try await response?.collect() ?? []
            return BearerToken(String(decoding: bytes, as: UTF8.self))
        }
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        box.withLock { $0 = client }
        #expect(try await client.status("a") == 200)
        #expect(transport.requests.map(\.url.path) == ["/v1/token", "/v1/a"])
        #expect(transport.tokens == [nil, "Bearer t9"])
        box.withLock { $0 = nil }
    }

    @Test func separatesCredentialsByPrincipal() async throws {
        let transport = StubTransport { .stub(to: $0) }
        let authorizer = Tokens()
        let interceptor = AuthorizationInterceptor(authorizer)
        var client = try HTTPClient(transport, interceptors: [interceptor])
        for principal in [Principal("anna"), Principal("bert"), nil, Principal("anna")] {
            client.principal = principal
            _ = try await client.status("a")
        }
        #expect(
            transport.tokens == ["Bearer t1", "Bearer t2", "Bearer t3", "Bearer t1"])
        #expect(
            authorizer.principals.withLock { $0 } == [Principal("anna"), Principal("bert"), nil])
        interceptor.setCredential(nil, for: Principal("anna"))
        #expect(interceptor.credential(for: Principal("anna")) == nil)
        #expect(interceptor.credential(for: Principal("bert")) == BearerToken("t2"))
    }
}

extension StubTransport {
    /// The Authorization fields of the requests so far.
    var tokens: [String?] { requests.map { $0.headerFields[.authorization] } }
}
