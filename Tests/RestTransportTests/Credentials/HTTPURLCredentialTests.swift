// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct HTTPURLCredentialTests {
    @Test(
        arguments: [
            ("http://user:pass@h/p", "http://h/p", "user", "pass"),
            ("https://user@h:8443", "https://h:8443", "user", ""),
            ("http://:pass@h/", "http://h/", "", "pass"),
            ("http://a%40b:p%3Aw%2F%20%C3%A4@h/", "http://h/", "a@b", "p:w/ ä"),
            ("http://user:a:b@[::1]/", "http://[::1]/", "user", "a:b"),
            ("http://user:pass@h?x=a@b", "http://h?x=a@b", "user", "pass"),
        ])
    func movesUserInformationToCredential(
        text: String, address: String, user: String, password: String
    ) throws {
        var credential: BasicCredential?
        #expect(try HTTPURL(parsing: text, credential: &credential).text == address)
        #expect(try credential == BasicCredential(user: user, password: password))
        #expect(throws: TransportError.self) { try HTTPURL(parsing: text) }
    }

    @Test(arguments: ["http://h/a@b", "https://h?a@b", "http://h#u:p@x"])
    func keepsAddressesWithoutUserInformation(text: String) throws {
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
    func rejectsAmbiguousUserInformation(text: String) throws {
        var credential: BasicCredential?
        let error = #expect(throws: TransportError.self) {
            try HTTPURL(parsing: text, credential: &credential)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("canary") == false)
        #expect(credential == nil)
    }

    @Test(.tags(.socket), .threat("T27"), arguments: Adapter.allCases)
    func neverExposesUserInformation(adapter: Adapter) async throws {
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
}
