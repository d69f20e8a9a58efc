// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The bytes that a server receives for fields set by callers and interceptors.
// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct RequestValidatorTests {
    private static let script: LoopbackSocketServer.Script = { connection in
        while connection.readRequest() != nil {
            guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") else { return }
        }
    }

    /// Returns the received lines of all requests.
    private static func lines(
        _ server: LoopbackSocketServer, beginning prefix: String = ""
    ) -> [String] {
        let lines = server.received.flatMap { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).map { line in
                String(decoding: line, as: UTF8.self).replacing("\r", with: "")
            }
        }
        return lines.filter { $0.hasPrefix(prefix) }
    }

    @Test(.threat("T33"), arguments: Adapter.allCases)
    func rejectsLineBreaksInFields(adapter: Adapter) async throws {
        let attacks = ["\r\n", "\n", "\r", "\0", "\r\n\r\n", "\n "].map { "a\($0)X-Injected: 1" }
        try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL) { client in
                for attack in attacks {
                    let errors = [
                        #expect(throws: TransportError.self) {
                            var request = try client.request(at: "a")
                            try request.setHeader(attack, for: "X-Test")
                        },
                        #expect(throws: TransportError.self) {
                            var request = try client.request(at: "a")
                            try request.setHeader("1", for: attack)
                        },
                        #expect(throws: TransportError.self) {
                            var client = client
                            try client.setAccept(attack)
                        },
                        #expect(throws: TransportError.self) {
                            try HTTPRequest.Method(checking: attack)
                        },
                        #expect(throws: TransportError.self) { try client.url(for: attack) },
                        #expect(throws: TransportError.self) {
                            try HTTPURL(parsing: "http://\(attack)/")
                        },
                        #expect(throws: TransportError.self) {
                            try HTTPURL(parsing: "http://h:80\(attack)/")
                        },
                        #expect(throws: TransportError.self) {
                            var request = try client.request(at: "a")
                            try BearerToken(attack).authorize(&request)
                        },
                        #expect(throws: TransportError.self) {
                            try BasicCredential(user: "a", password: attack)
                        },
                        #expect(throws: TransportError.self) {
                            var fields = HTTPFields()
                            try fields.set(attack, for: "X-Test")
                        },
                        #expect(throws: TransportError.self) {
                            try HTTPClient(
                                baseURL: "http://h/\(attack)", transport: client.transport)
                        },
                    ]
                    for error in errors {
                        #expect(error?.code == .invalidRequest)
                        #expect(error?.stage == .preparing)
                        #expect(error?.description.contains("Injected") == false)
                    }
                    #expect(HTTPRequest.Method(rawValue: attack) == nil)
                    #expect(HTTPField.Name(attack) == nil)
                    // An assignment through HTTPTypes replaces line breaks before this package
                    // receives the value, so the field stays on one line.
                    var request = try client.request(at: "b")
                    request.headerFields[.acceptLanguage] = attack
                    _ = try await client.send(request)
                }
                // The lenient initializer keeps other control characters; the client rejects them.
                for byte in [1, 8, 0x0B, 0x1B, 0x1F, 0x7F] as [UInt8] {
                    var request = try client.request(at: "c")
                    request.headerFields.append(
                        HTTPField(name: .acceptLanguage, lenientValue: [0x61, byte]))
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == .invalidRequest)
                    #expect(error?.description.contains("accept-language") == true)
                }
            }
            let requests = Self.lines(server, beginning: "GET ")
            #expect(requests == attacks.map { _ in "GET /b HTTP/1.1" })
            let languages = Self.lines(server, beginning: "Accept-Language: a")
            #expect(languages.count == attacks.count)
            // Folded lines begin with a space.
            let injected = Self.lines(server).map { $0.trimmingPrefix(" ") }
            #expect(!injected.contains { $0.hasPrefix("X-Injected") })
            #expect(server.received.allSatisfy { !$0.contains(0) })
        }
    }

    @Test(
        .threat("T35"), arguments: Adapter.allCases,
        [
            "Connection", "Content-Length", "Expect", "HOST", "Keep-Alive", "Proxy-Connection",
            "TE", "Trailer", "transfer-encoding", "Upgrade", "HTTP2-Settings",
            "X-HTTP-Method-Override", "x-http-method", "X-Method-Override",
        ])
    func rejectsFramingFieldsFromAllSources(adapter: Adapter, name: String) async throws {
        try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL) { client in
                let field: HTTPFields = try {
                    var fields: HTTPFields = [:]
                    try fields.set("5", for: name)
                    return fields
                }()
                let adding = AddingFields(fields: field)
                let plain = try client.request(.put, at: "a", body: .bytes([1, 2, 3]))
                var own = plain
                own.headerFields = field
                var (outer, inner, defaults) = (client, client, client)
                outer.interceptors = [adding]
                inner.networkInterceptors = [adding]
                defaults.defaultHeaders = field
                for (client, request) in [
                    (client, own), (outer, plain), (inner, plain), (defaults, plain),
                ] {
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == .invalidRequest)
                    #expect(error?.description.contains(name.lowercased()) == true)
                }
                #expect(server.received.allSatisfy { $0.isEmpty })
                _ = try await client.send(plain)
            }
            let lines = Self.lines(server).map { $0.lowercased() }
            #expect(lines.filter { $0.hasPrefix("content-length:") } == ["content-length: 3"])
            #expect(lines.filter { $0.hasPrefix("host:") } == ["host: 127.0.0.1:\(server.port)"])
            #expect(!lines.contains { $0.hasPrefix("transfer-encoding:") })
        }
    }

    @Test(arguments: Adapter.allCases)
    func limitsRequestHeaderBeforeSending(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL) { client in
                let limit = TransportLimits.default.requestHeaderByteCount
                var long = try client.request(at: "a")
                try long.setHeader(String(repeating: "x", count: limit), for: "X-Long")
                var many = try client.request(at: "a")
                let part = String(repeating: "1", count: limit / 1000)
                for number in 0..<1000 { try many.setHeader(part, for: "X-\(number)") }
                let path = String(repeating: "a", count: limit)
                for request in [long, many, try client.request(at: path)] {
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == .headerTooLarge)
                    #expect(error?.stage == .sendingRequest)
                    #expect(error?.reason.contains("\(limit) bytes") == true)
                }
                #expect(server.received.allSatisfy { $0.isEmpty })
                var limits = client.limits
                limits.requestHeaderByteCount = .max
                #expect(limits.requestHeaderByteCount == 1_000_000)
                long.limits = limits
                // Over the largest limit nothing reaches the library either.
                try long.setHeader(String(repeating: "x", count: 1_000_000), for: "X-Long")
                let error = await transportError { _ = try await client.send(long) }
                #expect(error?.code == .headerTooLarge && error?.stage == .sendingRequest)
                try long.setHeader(String(repeating: "x", count: 60_000), for: "X-Long")
                #expect(try await client.send(long).status == .ok)
            }
            #expect(Self.lines(server, beginning: "GET ").count == 1)
        }
    }

    @Test(arguments: Adapter.allCases)
    func allowsMethodOverrideForPost(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL) { client in
                var request = try client.request(.post, at: "a")
                try request.setHeader("DELETE", for: "X-HTTP-Method-Override")
                _ = try await client.send(request)
            }
            #expect(
                Self.lines(server).map { $0.lowercased() }
                    .contains("x-http-method-override: delete"))
        }
    }

    @Test(.threat("T37"), arguments: Adapter.allCases)
    func sendsParsedAddressUnchanged(adapter: Adapter) async throws {
        let paths = [
            "", "a//b", "a/./b", "a/../b", "a/%2e%2e/b", "%2E%2e/%2e", "a%2Fb", "a%252e%252e/b",
            "a;b=c:d@e", "@evil", ":80", "a?b?c", "?//evil/", "a?x=//evil@h", "a%23//evil", "a b/ä",
            "a%zz", "a'b\"c<d>e`f{g}h|i^j", "a?\u{202E}x", "~a-b_c.d!$&'()*+,;=",
        ]
        try await LoopbackServer.run { _ in
            .json("{}")
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                for path in paths {
                    let url = try client.url(for: path)
                    let response = try await client.send(TransportRequest(url: url))
                    #expect(response.url == url)
                    let seen = server.requests.last
                    #expect(seen?.target == url.requestTarget, "\(path)")
                    #expect(seen?.headers["host"] == url.authority, "\(path)")
                }
                #expect(server.requests.count == paths.count)
            }
        }
    }
}
