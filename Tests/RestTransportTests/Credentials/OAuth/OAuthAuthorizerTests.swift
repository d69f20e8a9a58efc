// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// An OAuth 2 authorizer with a loopback server that issues tokens and accepts the last one.
@Suite(.tags(.socket, .specification)) struct OAuthAuthorizerTests {
    private static let canary = "c4n4ry"

    /// The state of a server whose tokens are numbered.
    private final class TokenServer: Sendable {
        struct State {
            var forms: [[String: String]] = []
            var authorizations: [String?] = []
            var number = 0
            var refreshToken: String?
        }

        let state = Mutex(State())
        /// The members of token responses besides `access_token`.
        let members: String
        let rotates: Bool

        init(members: String = #""token_type": "Bearer""#, rotates: Bool = false) {
            self.members = members
            self.rotates = rotates
            if rotates { state.withLock { $0.refreshToken = "\(canary)-r0" } }
        }

        var forms: [[String: String]] { state.withLock { $0.forms } }
        var authorizations: [String?] { state.withLock { $0.authorizations } }

        /// Revokes the current token.
        func revoke() { state.withLock { $0.number += 100 } }

        func answer(_ request: LoopbackRequest) -> LoopbackResponse {
            request.path == "/token" ? issue(request) : check(request)
        }

        private func check(_ request: LoopbackRequest) -> LoopbackResponse {
            let token = state.withLock { "Bearer \(canary)-a\($0.number)" }
            return .json("{}", status: request.headers["authorization"] == token ? 200 : 401)
        }

        private func issue(_ request: LoopbackRequest) -> LoopbackResponse {
            let text = String(decoding: request.body, as: UTF8.self)
            var components = URLComponents()
            components.percentEncodedQuery = text
            let items = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
            let form = Dictionary(items) { $1 }
            return state.withLock { state in
                state.forms.append(form)
                state.authorizations.append(request.headers["authorization"])
                if let expected = state.refreshToken, form["refresh_token"] != expected {
                    return .json(#"{"error": "invalid_grant"}"#, status: 400)
                }
                state.number += 1
                var members = members
                if rotates {
                    let next = "\(canary)-r\(state.number)"
                    state.refreshToken = next
                    members += #", "refresh_token": "\#(next)""#
                }
                return .json(
                    #"{"access_token": "\#(canary)-a\#(state.number)", \#(members)}"#,
                    headers: [("Cache-Control", "no-store")])
            }
        }
    }

    private static func run(
        _ tokens: TokenServer, client identity: OAuthClient = .public(id: "app"),
        grant: OAuthGrant = .clientCredentials, scope: [String] = [],
        parameters: [String: String] = [:], clock: any TransportClock = .system,
        didReceiveToken: (@Sendable (BearerToken, Principal?) async -> Void)? = nil,
        _ body: (HTTPClient) async throws -> Void
    ) async throws {
        try await LoopbackServer.run {
            tokens.answer($0)
        } body: { server in
            let authorizer = try OAuthAuthorizer(
                tokenURL: HTTPURL(parsing: "\(server.baseURL)token"), client: identity,
                grant: grant, scope: scope, parameters: parameters,
                didReceiveToken: didReceiveToken)
            try await Adapter.curl.run(server.baseURL) { client in
                var client = client
                client.clock = clock
                client.interceptors = [AuthorizationInterceptor(authorizer)]
                try await body(client)
            }
        }
    }

    /// Sends a request and checks the status of its response.
    private static func expect(
        _ status: Int, of client: HTTPClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await client.status("a")
        #expect(found == status, sourceLocation: sourceLocation)
    }

    // MARK: Grants

    @Test(
        arguments: [
            (
                OAuthClient.basic(id: "a b:c", secret: "s/é"), "Basic YSUyMGIlM0FjOnMlMkYlQzMlQTk=",
                [:]
            ),
            (.form(id: "a b", secret: "s&t"), nil, ["client_id": "a b", "client_secret": "s&t"]),
            (.public(id: "app"), nil, ["client_id": "app"]),
        ] as [(OAuthClient, String?, [String: String])])
    func exchangesClientCredentials(
        identity: OAuthClient, authorization: String?, items: [String: String]
    ) async throws {
        let tokens = TokenServer()
        try await Self.run(
            tokens, client: identity, scope: ["read", "write"], parameters: ["audience": "x=y"]
        ) { client in
            for _ in 0..<3 { try await Self.expect(200, of: client) }
        }
        let expected = [
            "grant_type": "client_credentials", "scope": "read write", "audience": "x=y",
        ]
        #expect(tokens.forms == [expected.merging(items) { $1 }])
        #expect(tokens.authorizations == [authorization])
    }

    @Test func rotatesRefreshTokens() async throws {
        let tokens = TokenServer(rotates: true)
        let received = Mutex<[String?]>([])
        try await Self.run(
            tokens, grant: .refreshToken("\(Self.canary)-r0"),
            didReceiveToken: { token, _ in received.withLock { $0.append(token.refreshToken) } }
        ) { client in
            try await Self.expect(200, of: client)
            for _ in 0..<2 {
                tokens.revoke()
                try await Self.expect(200, of: client)
            }
        }
        // After each refusal the token of the last response is used; the first is never used again.
        #expect(tokens.forms.allSatisfy { $0["grant_type"] == "refresh_token" })
        let sent = tokens.forms.map { $0["refresh_token"] }
        #expect(sent.first == "\(Self.canary)-r0" && Set(sent).count == 3)
        #expect(received.withLock { $0.dropLast() } == sent.dropFirst())
    }

    @Test func keepsRefreshTokenThatServerDoesNotReplace() async throws {
        let tokens = TokenServer()
        try await Self.run(tokens, grant: .refreshToken("r")) { client in
            try await Self.expect(200, of: client)
            tokens.revoke()
            _ = try await client.status("a")
        }
        #expect(tokens.forms.map { $0["refresh_token"] } == ["r", "r"])
    }

    @Test func usesRefreshTokenForItsPrincipalOnly() async throws {
        let tokens = TokenServer()
        let anna = Principal("anna")
        try await Self.run(tokens, grant: .refreshToken("r", of: anna)) { client in
            var client = client
            try await Self.expect(401, of: client)
            #expect(tokens.forms.isEmpty)
            client.principal = anna
            try await Self.expect(200, of: client)
        }
        #expect(tokens.forms.count == 1)
    }

    // MARK: Time

    @Test(arguments: [#""expires_in": 100"#, #""expires_in": "100""#])
    func refreshesBeforeExpiry(member: String) async throws {
        let clock = ManualClock()
        let tokens = TokenServer(members: #""token_type": "bearer", \#(member)"#)
        try await Self.run(tokens, clock: clock) { client in
            try await Self.expect(200, of: client)
            clock.advance(by: .seconds(69))
            try await Self.expect(200, of: client)
            #expect(tokens.forms.count == 1)
            // Within the leeway of 30 s the next token is fetched beside requests.
            clock.advance(by: .seconds(1))
            _ = try await client.status("a")
            #expect(try await eventually { tokens.forms.count == 2 })
            try await Self.expect(200, of: client)
            #expect(tokens.forms.count == 2)
            // An expired token is replaced before the request is sent.
            clock.advance(by: .seconds(101))
            try await Self.expect(200, of: client)
            #expect(tokens.forms.count == 3)
        }
    }

    @Test func refreshesOnceForConcurrentRefusals() async throws {
        let tokens = TokenServer()
        try await Self.run(tokens) { client in
            try await Self.expect(200, of: client)
            tokens.state.withLock { $0.number = 1000 }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await client.status("a") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 50))
        }
        #expect(tokens.forms.count == 2)
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("invalid_request", .invalidRequest), ("invalid_client", .invalidClient),
            ("invalid_grant", .invalidGrant), ("unauthorized_client", .unauthorizedClient),
            ("unsupported_grant_type", .unsupportedGrantType), ("invalid_scope", .invalidScope),
            ("slow_down", OAuthError.Code(rawValue: "slow_down")),
        ] as [(String, OAuthError.Code)], [400, 401])
    func reportsErrorsOfServer(
        example: (text: String, code: OAuthError.Code), status: Int
    ) async throws {
        let (text, code) = example
        let error = try await Self.refusal(
            #"{"error": "\#(text)", "error_description": "\#(Self.canary)", "error_uri": "/e"}"#,
            status: status)
        #expect(error?.code == .authorizationFailed)
        let cause = try #require(error?.underlying as? OAuthError)
        #expect(cause.code == code)
        #expect(cause.status == status)
        #expect(cause.serverDescription == Self.canary)
        #expect(cause.uri == "/e")
        #expect(
            cause.localizedDescription
                == "\(text): the token endpoint refused the grant with status \(status)")
        var dumped = ""
        dump(cause, to: &dumped)
        #expect(!dumped.contains(Self.canary))
    }

    @Test(arguments: [
        ("<html>", 200), ("<html>", 503), ("{}", 200), ("{}", 400), ("[]", 200),
        (#"{"access_token": ""}"#, 200), (#"{"access_token": 1}"#, 200),
        (#"{"access_token": "c4n4ry", "token_type": "mac"}"#, 200),
        (#"{"access_token": "c4n4ry", "expires_in": "soon"}"#, 200),
        (#"{"access_token": "c4n4ry"}"#, 500),
    ])
    func rejectsMalformedTokenResponses(text: String, status: Int) async throws {
        let error = try await Self.refusal(text, status: status)
        #expect(error?.code == .authorizationFailed)
        let cause = try #require(error?.underlying as? TransportError)
        #expect(cause.code == .malformedResponse)
        #expect(cause.url?.hasSuffix("/token") == true)
        #expect(!"\(cause)".contains(Self.canary))
    }

    /// Returns the error of a request whose token endpoint responds with a text.
    private static func refusal(_ text: String, status: Int) async throws -> TransportError? {
        try await LoopbackServer.run { request in
            request.path == "/token" ? .json(text, status: status) : .json("{}", status: 401)
        } body: { server in
            let authorizer = try OAuthAuthorizer(
                tokenURL: HTTPURL(parsing: "\(server.baseURL)token"), client: .public(id: "app"),
                grant: .clientCredentials)
            return try await Adapter.curl.run(server.baseURL) { client in
                var client = client
                client.interceptors = [AuthorizationInterceptor(authorizer)]
                let error = await transportError { _ = try await client.status("a") }
                #expect(server.requests.allSatisfy { $0.path == "/token" })
                return error
            }
        }
    }

    @Test(arguments: ["http://id.example.com/token", "http://127.0.0.2/token"])
    func refusesUnencryptedEndpoints(url: String) throws {
        let error = #expect(throws: TransportError.self) {
            try OAuthAuthorizer(
                tokenURL: HTTPURL(parsing: url), client: .public(id: "a"), grant: .clientCredentials
            )
        }
        #expect(error?.code == .invalidRequest)
    }

    // MARK: Secrets

    @Test func neverLogsOrDescribesSecrets() async throws {
        let lines = LogLines()
        let tokens = TokenServer(rotates: true)
        let identity = OAuthClient.form(id: "app", secret: Self.canary)
        let grant = OAuthGrant.refreshToken("\(Self.canary)-r0")
        try await Self.run(tokens, client: identity, grant: grant) { client in
            var client = client
            var logging = LoggingInterceptor(logger: lines.logger(.trace))
            logging.bodyByteCount = 10_000
            client.interceptors.insert(logging, at: 0)
            client.networkInterceptors = [logging]
            let body = try await client.read("a")
            #expect(body == Array("{}".utf8))
        }
        #expect(lines.all.contains { $0.contains("/token") })
        #expect(lines.all.contains { $0.contains("response body body={}") })
        #expect(lines.all.allSatisfy { !$0.contains(Self.canary) })
        let authorizer = try OAuthAuthorizer(
            tokenURL: HTTPURL(parsing: "https://h/token?\(Self.canary)"), client: identity,
            grant: grant, parameters: ["assertion": Self.canary])
        for value in [authorizer, identity, grant] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.contains(Self.canary))
            #expect(!"\(value) \(String(reflecting: value))".contains(Self.canary))
        }
    }

    // MARK: Closures

    @Test func getsCredentialsFromClosure() async throws {
        let transport = AuthorizationInterceptorTests.transport(accepting: "t2")
        let calls = Mutex<[String?]>([])
        let interceptor = AuthorizationInterceptor { (previous: BearerToken?, principal) in
            #expect(principal == Principal("anna"))
            let count = calls.withLock { calls in
                calls.append(previous?.token)
                return calls.count
            }
            return count > 2 ? nil : BearerToken("t\(count)")
        }
        var client = try HTTPClient(transport, interceptors: [interceptor])
        client.principal = Principal("anna")
        #expect(try await client.status("a") == 200)
        #expect(calls.withLock { $0 } == [nil, "t1"])
        #expect(transport.tokens == ["Bearer t1", "Bearer t2"])
    }
}
