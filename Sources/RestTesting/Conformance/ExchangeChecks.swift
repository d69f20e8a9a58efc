// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import Synchronization

extension HTTPTransportConformance {
    /// Checks of valid requests and responses.
    public var exchanges: [Check] {
        [
            Check("returns a representation for GET", of: self, Self.getRepresentation),
            Check("returns no body for HEAD", of: self, Self.requestHead),
            Check("sends the parsed URL unchanged", of: self, Self.sendURLs),
            Check("sends header fields unchanged", of: self, Self.sendFields),
            Check("adds no fields except negotiation and framing", of: self, Self.addNoFields),
            Check("returns all header fields", of: self, Self.receiveFields),
            Check("follows no redirects and keeps no cookies", of: self, Self.keepNoState),
            Check("caches no response", of: self, Self.cacheNothing),
            Check("runs 64 exchanges concurrently", of: self, Self.runConcurrently),
        ]
            + ["POST", "PUT", "PATCH", "DELETE", "QUERY"].map { method in
                Check("sends a body with \(method)", of: self) { harness in
                    try await Self.sendBodies(harness, method)
                }
            }
    }

    /// Responds with the request line, the X-Test field and the body of each request.
    static let echo: LoopbackSocketServer.Script = { connection in
        while let request = connection.readRequest(),
            let end = request.firstRange(of: Array("\r\n\r\n".utf8))
        {
            let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self)
                .split(separator: "\r\n")
            let test = lines.first { $0.lowercased().hasPrefix("x-test: ") }?.dropFirst(8)
            let body =
                Array("\(lines[0].dropLast(9)) \(test ?? "-")\n".utf8) + request[end.upperBound...]
            connection.send("HTTP/1.1 200 OK\r\nX-Answer: 42\r\nContent-Length: \(body.count)\r\n")
            guard connection.send("\r\n"), connection.send(body) else { return }
        }
    }

    /// Responds to every request with two bytes.
    static let ok: LoopbackSocketServer.Script = { connection in
        while connection.readRequest() != nil {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    private static func name(_ text: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw ConformanceFailure("\(text) is not a field name")
        }
        return name
    }

    @Sendable private static func getRepresentation(_ harness: ConformanceHarness) async throws {
        try await harness.run(echo) { client, _ in
            var request = try client.request(at: "a%2Fb/c?x=%20&y=1")
            try request.setHeader("value", for: "X-Test")
            let response = try await client.send(request)
            try require(response.status, is: .ok, "status")
            try require(response.headerFields[try name("X-Answer")], is: "42", "field")
            try require(response.url, is: request.url, "URL")
            let text = String(decoding: try await response.collect(), as: UTF8.self)
            try require(text, is: "GET /a%2Fb/c?x=%20&y=1 value\n", "body")
        }
    }

    @Sendable private static func requestHead(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            while connection.readRequest() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n")
            }
        } body: { client, server in
            for _ in 0..<2 {
                let response = try await client.send(try client.request(.head, at: "a"))
                try require(response.status, is: .ok, "status")
                try require(response.headerFields[.contentLength], is: "5", "length")
                try require(try await response.collect(), is: [], "body")
            }
        }
    }

    @Sendable private static func sendBodies(
        _ harness: ConformanceHarness, _ method: String
    ) async throws {
        // Only the headers are kept: to search the bodies as text would take seconds.
        let heads = Mutex<[String]>([])
        let script: LoopbackSocketServer.Script = { connection in
            while let (head, body) = connection.readMessage() {
                heads.withLock { $0.append(head) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                guard connection.send(body) else { return }
            }
        }
        let sizes = [0, 1, 300_000]
        try await harness.run(script) { client, _ in
            for size in sizes {
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                let response = try await client.send(
                    try client.request(
                        HTTPRequest.Method(checking: method), at: "a",
                        headerFields: [.contentType: "text/plain"], body: .bytes(body)))
                let echo = try await response.collect()
                try require(echo == body, "\(size) bytes were echoed as \(echo.count)")
            }
        }
        let sent = heads.withLock { $0 }
        try require(sent.count, is: sizes.count, "requests")
        for head in sent {
            try require(
                head.hasPrefix("\(method.lowercased()) /a http/1.1\r\n"), "another request line")
            try require(head.contains("content-type: text/plain\r\n"), "no media type")
            try require(!head.contains("expect:"), "an Expect field")
        }
    }

    @Sendable private static func sendURLs(_ harness: ConformanceHarness) async throws {
        try await harness.run(ok) { client, server in
            for path in [
                "a/../b", "%2e%2e/c", "d;p=1?q=/?%23", "e//f", "g'(h)!*~", "i?j[k]=l&m=%",
                "n o/é", "?", "@:p", "q?", "r/?a=b+c%2B", "s/%00/%zz",
            ] {
                let url = try client.url(for: path)
                _ = try await client.read(path)
                let line = "GET \(url.requestTarget) HTTP/1.1\r\n"
                let isSent = server.receivedTexts.contains { $0.contains(line) }
                try require(isSent, "\(url.requestTarget) was not sent for \(path)")
            }
            let host = "\r\nhost: 127.0.0.1:\(server.port)\r\n"
            for text in server.receivedTexts {
                try require(text.lowercased().contains(host), "no Host field")
                let count = text.ranges(of: "HTTP/1.1\r\n").count
                try require(text.lowercased().ranges(of: "\r\nhost:").count, is: count, "hosts")
            }
        }
    }

    @Sendable private static func sendFields(_ harness: ConformanceHarness) async throws {
        let lines = [
            "x-lower: a", "X-MiXeD: b; c=\"d, e\"", "X-Inner:  f  g", "X-Latin: ü", "X-Empty: ",
            "User-Agent: kit/1", "X-Twice: 1", "X-Twice: 2", "Accept: text/plain",
            "Accept-Encoding: gzip;q=0.5",
        ]
        try await harness.run(ok) { client, server in
            var request = try client.request(at: "a")
            for line in lines {
                let parts = line.split(separator: ":", maxSplits: 1)
                let value = parts[1].drop { $0 == " " }
                request.headerFields.append(
                    HTTPField(name: try name(String(parts[0])), value: String(value)))
            }
            _ = try await client.send(request).collect()
            let sent = server.receivedTexts.joined().split(separator: "\r\n")
                .map { $0.filter { $0 != " " } }
            for line in lines {
                let compact = line.filter { $0 != " " }
                try require(sent.filter { $0 == compact }.count, is: 1, "lines that are `\(line)`")
            }
            let both = sent.filter { $0.hasPrefix("X-Twice:") }
            try require(both, is: ["X-Twice:1", "X-Twice:2"], "the order of repeated fields")
        }
    }

    @Sendable private static func addNoFields(_ harness: ConformanceHarness) async throws {
        let known: Set = [
            "host", "accept", "accept-encoding", "accept-language", "user-agent", "connection",
            "content-length",
        ]
        try await harness.run(ok) { client, server in
            for method: HTTPRequest.Method in [.get, .post] {
                let body: MessageBody = method == .get ? .empty : .bytes([65])
                _ = try await client.send(try client.request(method, at: "a", body: body)).collect()
            }
            for line in server.receivedTexts.joined().split(separator: "\r\n")
            where line.contains(": ") {
                let name = line.prefix { $0 != ":" }.lowercased()
                try require(known.contains(name), "the field \(name) was added")
            }
        }
    }

    @Sendable private static func receiveFields(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Twice: a\r\nx-twice:b\r\n")
            connection.send("X-Empty:\r\nX-Blank:\t c d \t\r\nX-Latin: \u{FC}\r\n\r\n")
            connection.waitUntilClosed()
        } body: { client, _ in
            let fields = try await client.send(try client.request(at: "a")).headerFields
            try require(fields[values: try name("X-Twice")], is: ["a", "b"], "repeated fields")
            try require(fields[try name("X-Empty")], is: "", "an empty field")
            try require(fields[try name("X-Blank")], is: "c d", "a field between whitespace")
            try require(fields[try name("X-Latin")], is: "\u{FC}", "a field with UTF-8")
        }
    }

    @Sendable private static func keepNoState(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            while let request = connection.readRequestText() {
                let status = request.hasPrefix("GET /found") ? "302 Found" : "200 OK"
                connection.send("HTTP/1.1 \(status)\r\nSet-Cookie: canary=1; Path=/\r\n")
                connection.send("Location: /end\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { client, server in
            let found = try await client.send(try client.request(at: "found"))
            try require(found.status, is: .found, "status")
            _ = try await client.read("again")
            let sent = server.receivedTexts.joined()
            try require(sent.ranges(of: "GET /").count, is: 2, "requests")
            try require(!sent.lowercased().contains("cookie:"), "a cookie was sent back")
        }
    }

    @Sendable private static func cacheNothing(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nETag: \"1\"\r\n")
                connection.send("Content-Length: 2\r\n\r\nok")
            }
        } body: { client, server in
            for _ in 0..<3 { _ = try await client.read("a") }
            let sent = server.receivedTexts.joined()
            try require(sent.ranges(of: "GET /a").count, is: 3, "requests")
            try require(!sent.lowercased().contains("if-none-match:"), "an entity tag was sent")
        }
    }

    @Sendable private static func runConcurrently(_ harness: ConformanceHarness) async throws {
        try await harness.run(echo) { client, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        for number in 0..<4 {
                            let path = "item/\(task)/\(number)"
                            let text = try await client.readText(path)
                            try require(text, is: "GET /\(path) -\n", "body")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = server.receivedTexts.joined().ranges(of: "GET /item/").count
            try require(count, is: 256, "requests")
        }
    }
}

extension LoopbackSocketServer {
    /// The text that arrived over each connection.
    var receivedTexts: [String] {
        received.map { String(decoding: $0, as: UTF8.self) }
    }
}
