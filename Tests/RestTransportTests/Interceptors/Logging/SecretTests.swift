// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Secrets in every part of requests and responses never appear in logs and errors.
@Suite struct SecretTests {
    private static let canary = "c4n4ry"

    /// An error with a secret in its description.
    private struct Failure: Error, CustomStringConvertible {
        var description: String { SecretTests.canary }
    }

    private final class SecretAuthorizer: Authorizer {
        let isFailing: Bool

        init(isFailing: Bool) {
            self.isFailing = isFailing
        }

        func credential(
            after previous: BearerToken?, for principal: Principal?, through next: InterceptorChain
        ) async throws -> BearerToken? {
            if isFailing, previous != nil { throw Failure() }
            return BearerToken(
                SecretTests.canary + (previous == nil ? "1" : "2"),
                refreshToken: SecretTests.canary)
        }
    }

    /// Returns a client with all interceptors that log, at level `trace`.
    private static func client(
        _ baseURL: String, _ transport: any HTTPTransport, _ lines: LogLines, isFailing: Bool
    ) throws -> HTTPClient {
        var logging = LoggingInterceptor(logger: lines.logger(.trace))
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        logging.redaction.hiddenFields.insert(tenant)
        logging.redaction.shownFields.insert(tenant)
        logging.redaction.hiddenItemNames.append("iban")
        var client = try HTTPClient(baseURL: baseURL, transport: transport)
        client.principal = Principal(canary)
        client.interceptors = [
            RequestIDInterceptor(), logging, RequestCoalescingInterceptor(),
            AuthorizationInterceptor(SecretAuthorizer(isFailing: isFailing)),
        ]
        var policy = RetryPolicy()
        policy.baseDelay = .zero
        policy.attemptCount = 2
        client.networkInterceptors = [RetryInterceptor(policy), logging]
        return client
    }

    /// Returns requests with secrets in all parts.
    private static func requests(_ client: HTTPClient, _ path: String) throws -> [TransportRequest]
    {
        var fields = HTTPFields()
        for name in [
            "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Tenant", "Referer", "X-Forwarded-For",
            "If-Match-Token",
        ] {
            try fields.set("\(name)=\(canary)", for: name)
        }
        let query =
            "token=\(canary)&api_key=\(canary)&%70assword=\(canary)&user[secret]=\(canary)"
            + "&iban=\(canary)&page=2"
        let body = MessageBody.bytes(Array("{\"password\": \"\(canary)\"}".utf8))
        let get = try client.request(at: "\(path)?\(query)", headerFields: fields)
        let post = try client.request(
            .post, at: "\(path)?\(query)", headerFields: fields, body: body)
        var own = get
        own.headerFields[.authorization] = "Basic \(canary)"
        own.url = try HTTPURL(parsing: own.url.text + "#\(canary)")
        return [get, post, own]
    }

    private static func answer(_ path: String) -> LoopbackResponse {
        let headers = [
            ("Set-Cookie", "id=\(canary)"), ("WWW-Authenticate", "Bearer realm=\(canary)"),
            ("X-Api-Key", canary), ("Location", "/end?token=\(canary)&code=\(canary)#\(canary)"),
            ("Link", "</a?token=\(canary)>; rel=next"), ("X-Tenant", canary),
        ].map { (name: $0.0, value: $0.1) }
        let status =
            switch path {
            case "/refused": 401
            case "/busy": 503
            case "/moved": 302
            case "/circle": 302
            case "/loop": 302
            default: 200
            }
        return LoopbackResponse(
            status: status, headers: headers, body: Array("{\"secret\": \"\(canary)\"}".utf8))
    }

    @Test(.threat("T28"), .tags(.socket), arguments: Adapter.allCases, [false, true])
    func neverAppearInLogsOrErrors(adapter: Adapter, isFailing: Bool) async throws {
        let lines = LogLines()
        var errors: [any Error] = []
        try await LoopbackServer.run { request in
            Self.answer(request.path)
        } body: { server in
            try await adapter.run(server.baseURL) { plain in
                let client = try Self.client(
                    server.baseURL, plain.transport, lines, isFailing: isFailing)
                var limited = client
                limited.limits.bodyByteCount = 3
                limited.limits.redirectCount = 0
                for client in [client, limited] {
                    for path in ["ok", "refused", "busy", "moved"] {
                        for request in try Self.requests(client, path) {
                            do {
                                _ = try await client.send(request).collect()
                            } catch {
                                errors.append(error)
                            }
                        }
                    }
                }
            }
            let credentials = server.requests.compactMap { $0.headers["authorization"] }
            #expect(credentials.contains { $0.contains(Self.canary) })
        }
        // No server listens on this port.
        try await adapter.run("http://127.0.0.1:1/") { plain in
            let client = try Self.client(
                "http://127.0.0.1:1/", plain.transport, lines, isFailing: isFailing)
            for request in try Self.requests(client, "a") {
                do {
                    _ = try await client.send(request)
                } catch {
                    errors.append(error)
                }
            }
        }
        #expect(lines.all.count > 100)
        #expect(lines.all.contains { $0.contains("page=2") })
        for line in lines.all { #expect(!line.contains(Self.canary), "\(line)") }
        #expect(errors.count >= 9)
        for error in errors {
            #expect(error is TransportError)
            #expect(!"\(error)".contains(Self.canary), "\(error)")
        }
    }

    @Test func neverAppearInErrorsOfRejectedInput() throws {
        var errors: [any Error] = []
        func attempt(_ work: () throws -> Void) {
            do {
                try work()
                Issue.record("no error")
            } catch {
                errors.append(error)
            }
        }
        let canary = Self.canary
        attempt { _ = try HTTPURL(parsing: "https://user:\(canary)\u{7F}@host\\/") }
        attempt { _ = try HTTPURL(parsing: "ftp://\(canary)/") }
        attempt { _ = try HTTPURL(parsing: "https://\(canary) /") }
        var request = TransportRequest(url: try HTTPURL(parsing: "https://host/?x=\(canary)"))
        attempt { try request.setHeader("\(canary)\n", for: "Authorization") }
        attempt { try request.setHeader("x", for: "\(canary) ") }
        attempt { try BearerToken("\(canary)\n").authorize(&request) }
        attempt { _ = try BasicCredential(user: "\(canary):", password: canary) }
        for error in errors { #expect(!"\(error)".contains(canary), "\(error)") }
    }

    @Test func neverAppearInCredentialDescriptions() throws {
        let credentials: [any RequestCredential] = [
            BearerToken(Self.canary, refreshToken: Self.canary),
            try BasicCredential(user: Self.canary, password: Self.canary),
        ]
        for credential in credentials {
            var dumped = ""
            dump(credential, to: &dumped)
            for text in [
                "\(credential)", String(reflecting: credential), String(describing: [credential]),
                dumped,
            ] {
                #expect(!text.contains(Self.canary))
                #expect(!text.contains("YzRuNHJ5"))
            }
        }
    }
}
