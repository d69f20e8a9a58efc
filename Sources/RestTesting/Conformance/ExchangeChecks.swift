// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Requests and responses as they should be.
    public var exchanges: [Check] {
        [
            Check("gets a representation", of: self, Self.getARepresentation),
            Check("brings no body with HEAD", of: self, Self.askForAHead),
            Check("sends exactly the parsed address", of: self, Self.sendAddresses),
            Check("sends header fields as they are given", of: self, Self.sendFields),
            Check("adds no field of its own but those of framing", of: self, Self.addNothing),
            Check("brings all header fields", of: self, Self.receiveFields),
            Check("follows nothing and keeps no cookies", of: self, Self.followNothing),
            Check("stores no response", of: self, Self.storeNothing),
            Check("carries 64 exchanges at once", of: self, Self.carryMany),
        ]
            + ["POST", "PUT", "PATCH", "DELETE", "QUERY"].map { method in
                Check("sends a body with \(method)", of: self) { bench in
                    try await Self.sendBodies(bench, method)
                }
            }
    }

    /// Answers with the request's line, its X-Test field and its body.
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

    /// Answers every request with two bytes.
    static let ok: LoopbackSocketServer.Script = { connection in
        while connection.readRequest() != nil {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    private static func name(_ text: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { throw ConformanceFailure("\(text) no name") }
        return name
    }

    @Sendable private static func getARepresentation(_ bench: TransportBench) async throws {
        try await bench.play(echo) { client, _ in
            var request = try client.request(at: "a%2Fb/c?x=%20&y=1")
            try request.setHeader("value", for: "X-Test")
            let response = try await client.send(request)
            try require(response.status, is: .ok, "status")
            try require(response.headerFields[try name("X-Answer")], is: "42", "field")
            try require(response.url, is: request.url, "address")
            let text = String(decoding: try await response.collect(), as: UTF8.self)
            try require(text, is: "GET /a%2Fb/c?x=%20&y=1 value\n", "body")
        }
    }

    @Sendable private static func askForAHead(_ bench: TransportBench) async throws {
        try await bench.play { connection in
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

    @Sendable private static func sendBodies(_ bench: TransportBench, _ method: String) async throws
    {
        try await bench.play(echo) { client, server in
            for size in [0, 1, 300_000] {
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                let response = try await client.send(
                    try client.request(
                        HTTPRequest.Method(checking: method), at: "a",
                        headerFields: [.contentType: "text/plain"], body: .bytes(body)))
                let answer = try await response.collect()
                let isWhole = answer == Array("\(method) /a -\n".utf8) + body
                try require(isWhole, "\(size) bytes came back as \(answer.count)")
            }
            for request in server.receivedTexts {
                let fields = request.lowercased()
                try require(fields.contains("content-type: text/plain\r\n"), "no media type")
                try require(!fields.contains("expect:"), "an Expect field")
            }
        }
    }

    @Sendable private static func sendAddresses(_ bench: TransportBench) async throws {
        try await bench.play(ok) { client, server in
            for path in [
                "a/../b", "%2e%2e/c", "d;p=1?q=/?#frag", "e//f", "g'(h)!*~", "i?j[k]=l&m=%",
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

    @Sendable private static func sendFields(_ bench: TransportBench) async throws {
        let lines = [
            "x-lower: a", "X-MiXeD: b; c=\"d, e\"", "X-Inner:  f  g", "X-Latin: ü", "X-Empty: ",
            "User-Agent: kit/1", "X-Twice: 1", "X-Twice: 2", "Accept: text/plain",
            "Accept-Encoding: gzip;q=0.5",
        ]
        try await bench.play(ok) { client, server in
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
                let bare = line.filter { $0 != " " }
                try require(sent.filter { $0 == bare }.count, is: 1, "lines that are `\(line)`")
            }
            let both = sent.filter { $0.hasPrefix("X-Twice:") }
            try require(both, is: ["X-Twice:1", "X-Twice:2"], "the order of repeated fields")
        }
    }

    @Sendable private static func addNothing(_ bench: TransportBench) async throws {
        let known: Set = [
            "host", "accept", "accept-encoding", "accept-language", "user-agent", "connection",
            "content-length",
        ]
        try await bench.play(ok) { client, server in
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

    @Sendable private static func receiveFields(_ bench: TransportBench) async throws {
        try await bench.play { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Twice: a\r\nx-twice:b\r\n")
            connection.send("X-Empty:\r\nX-Blank:\t c d \t\r\nX-Latin: \u{FC}\r\n\r\n")
            connection.waitUntilClosed()
        } body: { client, _ in
            let fields = try await client.send(try client.request(at: "a")).headerFields
            try require(fields[values: try name("X-Twice")], is: ["a", "b"], "repeated fields")
            try require(fields[try name("X-Empty")], is: "", "an empty field")
            try require(fields[try name("X-Blank")], is: "c d", "a field between blanks")
            try require(fields[try name("X-Latin")], is: "\u{FC}", "a field with UTF-8")
        }
    }

    @Sendable private static func followNothing(_ bench: TransportBench) async throws {
        try await bench.play { connection in
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

    @Sendable private static func storeNothing(_ bench: TransportBench) async throws {
        try await bench.play { connection in
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

    @Sendable private static func carryMany(_ bench: TransportBench) async throws {
        try await bench.play(echo) { client, server in
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
    /// What came over each connection, as text.
    var receivedTexts: [String] {
        received.map { String(decoding: $0, as: UTF8.self) }
    }
}
