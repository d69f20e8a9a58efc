// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct CredentialTests {
    // MARK: Making credentials

    @Test func writesNameAndPassword() async throws {
        // The example of RFC 7617.
        #expect(
            try await sent(BasicCredential(user: "Aladdin", password: "open sesame"))
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(
            try await sent(BasicCredential(user: "test", password: "123£"))
                == "Basic dGVzdDoxMjPCow==")
        #expect(try await sent(BasicCredential(user: "u", password: "p:w")) == "Basic dTpwOnc=")
    }

    @Test func writesATokenBehindItsScheme() async throws {
        #expect(try await sent(BearerToken("abc.def-1~+/=")) == "Bearer abc.def-1~+/=")
        #expect(try await sent(BearerToken("abc", scheme: "Token")) == "Token abc")
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a\0", "ä", "a\u{7F}"])
    func refusesATokenThatIsNone(token: String) async {
        for credential in [BearerToken(token), BearerToken("a", scheme: token)] {
            let error = await transportError { _ = try await sent(credential) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func putsOnARequestWhatItsServerWants() async throws {
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
    func refusesNamesAndPasswordsThatCannotBeWritten(user: String, password: String) {
        let error = #expect(throws: TransportError.self) {
            try BasicCredential(user: user, password: password)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func showsNothing() throws {
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

    // MARK: Where they go

    @Test func staysAtTheBasesOrigin() async throws {
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

    @Test func givesWayToADefaultHeader() async throws {
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(
            baseURL: "https://h.example/", transport: stub, defaultHeaders: [.authorization: "own"])
        client.credential = BearerToken("abc")
        _ = try await client.read("a")
        #expect(stub.requests.last?.headerFields == [.authorization: "own"])
    }

    // MARK: User information

    @Test(
        arguments: [
            ("http://user:pass@h/p", "http://h/p", "user", "pass"),
            ("https://user@h:8443", "https://h:8443", "user", ""),
            ("http://:pass@h/", "http://h/", "", "pass"),
            ("http://a%40b:p%3Aw%2F%20%C3%A4@h/", "http://h/", "a@b", "p:w/ ä"),
            ("http://user:a:b@[::1]/", "http://[::1]/", "user", "a:b"),
            ("http://user:pass@h?x=a@b", "http://h?x=a@b", "user", "pass"),
        ])
    func movesUserInformationToACredential(
        text: String, address: String, user: String, password: String
    ) throws {
        var credential: BasicCredential?
        #expect(try HTTPURL(parsing: text, credential: &credential).text == address)
        #expect(try credential == BasicCredential(user: user, password: password))
        #expect(throws: TransportError.self) { try HTTPURL(parsing: text) }
    }

    @Test(arguments: ["http://h/a@b", "https://h?a@b", "http://h#u:p@x"])
    func leavesOtherAddressesAlone(text: String) throws {
        let kept = try BasicCredential(user: "kept", password: "")
        var credential: BasicCredential? = kept
        #expect(
            try HTTPURL(parsing: text, credential: &credential) == HTTPURL(parsing: text))
        #expect(credential == kept)
    }

    @Test(arguments: [
        "http://@h/", "http://:@h/", "http://canary@evil@h/", "http://canary%0D%0A:x@h/",
        "http://canary%zz@h/", "http://canary%FF@h/", "http://canary%3Ax:y@h/", "ftp://canary:p@h/",
        "http://canary:p@", "http:canary@h/", "//canary@h/", "http://canary\\@h/",
    ])
    func refusesUserInformationThatIsUnclear(text: String) throws {
        var credential: BasicCredential?
        let error = #expect(throws: TransportError.self) {
            try HTTPURL(parsing: text, credential: &credential)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("canary") == false)
        #expect(credential == nil)
    }

    @Test(.tags(.socket), .threat("T27"), arguments: Adapter.allCases)
    func keepsUserInformationOutOfEverything(adapter: Adapter) async throws {
        let encoded = "Y2FuYXJ5OmNhbmFyeQ=="
        try await LoopbackServer.run { request in
            switch request.path {
            case "/go": .redirect(302, to: "/end")
            case "/user": .redirect(302, to: "http://canary:canary@127.0.0.1/")
            default: .json("{}")
            }
        } body: { server in
            let base = server.baseURL.replacing("http://", with: "http://canary:canary@")
            try await adapter.run(base) { client in
                var client = client
                var output = "\(client.baseURL) \(client.baseURL.text)"
                let response = try await client.send(try client.request(at: "go"))
                output += " \(response.url.text) \(response.redirects.map(\.text))"
                output += " \(response.request.url.requestText)"
                for path in ["user", "http://canary:canary@127.0.0.1:\(server.port)/"] {
                    let error = await transportError { _ = try await client.read(path) }
                    output += " \(String(describing: error)) \(String(reflecting: error))"
                }
                client.transport = StubTransport { _ in
                    throw TransportError(.connectionFailed, stage: .connecting, reason: "none")
                }
                let error = await transportError { _ = try await client.read("end") }
                output += " \(String(describing: error))"
                #expect(!output.isEmpty)
                #expect(!output.contains("canary"))
                #expect(!output.contains(encoded))
            }
            #expect(server.requests.count == 3)
            for request in server.requests {
                #expect(request.headers["authorization"] == "Basic \(encoded)")
                #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
                let others = request.headers.filter { $0.key != "authorization" }
                #expect(!"\(request.target) \(others)".contains("canary"))
            }
        }
    }

    private func sent(_ credential: some RequestCredential) async throws -> String? {
        let stub = StubTransport { .stub(to: $0) }
        var client = try HTTPClient(baseURL: "https://h.example/", transport: stub)
        client.credential = credential
        _ = try await client.read("a")
        return stub.requests.last?.headerFields[.authorization]
    }
}
