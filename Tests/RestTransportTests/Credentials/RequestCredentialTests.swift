// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct RequestCredentialTests {
    @Test func encodesUserAndPassword() async throws {
        // The example of RFC 7617.
        #expect(
            try await sent(BasicCredential(user: "Aladdin", password: "open sesame"))
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(
            try await sent(BasicCredential(user: "test", password: "123£"))
                == "Basic dGVzdDoxMjPCow==")
        #expect(try await sent(BasicCredential(user: "u", password: "p:w")) == "Basic dTpwOnc=")
    }

    @Test func writesSchemeBeforeToken() async throws {
        #expect(try await sent(BearerToken("abc.def-1~+/=")) == "Bearer abc.def-1~+/=")
        #expect(try await sent(BearerToken("abc", scheme: "Token")) == "Token abc")
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a\0", "ä", "a\u{7F}"])
    func rejectsInvalidTokens(token: String) async {
        for credential in [BearerToken(token), BearerToken("a", scheme: token)] {
            let error = await transportError { _ = try await sent(credential) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func addsCustomCredentialFields() async throws {
        struct APIKey: RequestCredential {
            func authorize(_ request: inout TransportRequest) throws {
                try request.setHeader("key", for: "X-Api-Key")
            }
        }
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        client.credential = APIKey()
        _ = try await client.read("a")
        _ = try await client.send(
            TransportRequest(url: try HTTPURL(parsing: "https://other.example/")))
        #expect(stub.requests.map { $0.headerFields.map(\.value) } == [["key"], []])
    }

    @Test(arguments: [("a:b", "x"), ("a\n", "x"), ("a", "x\0"), ("a", "\u{7F}")])
    func rejectsUnencodableUserAndPassword(user: String, password: String) {
        let error = #expect(throws: TransportError.self) {
            try BasicCredential(user: user, password: password)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func neverPrintsSecrets() throws {
        let credentials: [any RequestCredential] = [
            BearerToken("canary", refreshToken: "canary"),
            try BasicCredential(user: "canary", password: "canary"),
        ]
        for credential in credentials {
            var text = "\(credential) \(String(reflecting: credential)) \([credential])"
            dump(credential, to: &text)
            var client = try HTTPClient(
                baseURL: "https://h.example/", transport: StubTransport { .stub(to: $0) })
            client.credential = credential
            dump(client, to: &text)
            text += "\(client)"
            #expect(!text.contains("canary"))
            #expect(!text.contains("Y2FuYXJ5"))
        }
    }

    @Test func sendsCredentialOnlyToTrustedOrigins() async throws {
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(baseURL: "https://h.example/v1/", transport: stub)
        client.credential = BearerToken("abc")
        client.defaultHeaders = [.accept: "text/plain"]
        try client.defaultHeaders.set("key", for: "X-Api-Key")
        func send(_ address: String, _ fields: HTTPFields = [:]) async throws {
            _ = try await client.send(
                TransportRequest(url: try HTTPURL(parsing: address), headerFields: fields))
        }
        try await send("https://h.example/v1/a")
        try await send("https://h.example/other", [.authorization: "own"])
        for address in [
            "http://h.example/", "https://h.example:8443/", "https://sub.h.example/",
            "https://h.example.evil/", "https://evil/",
        ] {
            try await send(address)
        }
        try await send("https://evil/", [.authorization: "own"])
        client.redirects.trustedOrigins = [try HTTPURL(parsing: "https://friend/").origin]
        try await send("https://friend/")
        let fields = stub.requests.map(\.headerFields)
        var all = client.defaultHeaders
        all[.authorization] = "Bearer abc"
        #expect(fields[0] == all)
        #expect(fields[1][values: .authorization] == ["own"])
        #expect(fields[2...6].allSatisfy { $0 == [.accept: "text/plain"] })
        #expect(fields[7] == [.authorization: "own", .accept: "text/plain"])
        #expect(fields[8] == all)
    }

    @Test func prefersAuthorizationOfDefaultHeaders() async throws {
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(
            baseURL: "https://h.example/", transport: stub, defaultHeaders: [.authorization: "own"])
        client.credential = BearerToken("abc")
        _ = try await client.read("a")
        #expect(stub.requests.last?.headerFields == [.authorization: "own"])
    }

    private func sent(_ credential: some RequestCredential) async throws -> String? {
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        client.credential = credential
        _ = try await client.read("a")
        return stub.requests.last?.headerFields[.authorization]
    }
}
