// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Checks of header and body limits: at the limit, one beyond it, and far beyond it.
    public var limits: [Check] {
        let bodies = ["sized", "chunked", "close-delimited"].flatMap { kind in
            [1, 1000, 1 << 20].map { limit in
                Check("limits a \(kind) body to \(limit) bytes", of: self) { harness in
                    try await Self.limitBody(harness, kind, limit)
                }
            }
        }
        let timeouts: [Duration] = [
            .nanoseconds(Int64.max), .seconds(9_223_372_036) + .milliseconds(999),
            .seconds(Int64.max),
        ]
        let longTimeouts = timeouts.map { timeout in
            Check("accepts timeouts of \(timeout)", of: self) { harness in
                try await Self.expectBody(harness, "sized", 1000, count: 1000) {
                    $0.connectTimeout = timeout
                    $0.idleTimeout = timeout
                    $0.totalTimeout = timeout
                }
            }
        }
        return bodies + longTimeouts + [
            Check("stops an endless body", of: self) { harness in
                try await Self.expectError(harness, "endless", 1, [.bodyTooLarge]) {
                    $0.bodyByteCount = 4 << 20
                }
            },
            Check("limits a header to 256 fields", of: self) { harness in
                try await Self.expectBody(harness, "fields", 256, count: 0)
                try await Self.expectError(harness, "fields", 257, [.headerTooLarge])
            },
            Check("rejects 20,000 header fields", of: self) { harness in
                try await Self.expectError(harness, "fields", 20_000, [.headerTooLarge])
            },
            Check("limits a header to 65,536 bytes", of: self) { harness in
                try await Self.expectBody(harness, "line", 65_536, count: 0)
                try await Self.expectError(harness, "line", 65_537, [.headerTooLarge])
            },
            Check("rejects a header of 2 MB", of: self) { harness in
                try await Self.expectError(harness, "line", 2_000_000, [.headerTooLarge])
            },
            Check("rejects an endless header", of: self) { harness in
                try await Self.expectError(harness, "header", 1, [.headerTooLarge])
            },
            Check("stops reading an endless header", of: self, Self.boundHeader),
            Check("limits interim responses", of: self) { harness in
                try await Self.expectError(harness, "interim", 1, [.headerTooLarge])
            },
        ]
    }

    /// Requires that a transport closes the connection soon after the limit of a header.
    ///
    /// The work must not depend on the server. The sockets hold some megabytes.
    @Sendable private static func boundHeader(_ harness: ConformanceHarness) async throws {
        let sent = AtomicCounter()
        let isClosed = AtomicCounter()
        try await harness.run { connection in
            guard connection.readRequestText() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n")
            let line = "X-Field: \(String(repeating: "v", count: 1000))\r\n"
            while sent.value < 64 << 20, connection.send(line) { sent.add(line.utf8.count) }
            isClosed.add(1)
        } body: { client, _ in
            _ = try await harness.error([.headerTooLarge], at: [.receivingHeader]) {
                _ = try await client.read("a")
            }
            try require(
                try await eventually { isClosed.value == 1 }, "the connection was not closed")
            try require(sent.value < 16 << 20, "the server could send \(sent.value) bytes")
        }
    }

    /// Sends the kind of response that the path of each request names.
    private static let script: LoopbackSocketServer.Script = { connection in
        let ok = "HTTP/1.1 200 OK\r\n"
        while let request = connection.readRequestText() {
            let words = request.split(separator: " ")[1].split(separator: "/")
            guard words.count == 2, let count = Int(words[1]) else { return }
            let filler = [UInt8](repeating: 65, count: min(count, 1 << 26))
            switch words[0] {
            case "sized":
                connection.send("\(ok)Content-Length: \(count)\r\n\r\n")
                connection.send(filler)
            case "close-delimited":
                connection.send("\(ok)\r\n")
                connection.send(filler)
                return
            case "chunked":
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                connection.send("\(String(count, radix: 16))\r\n")
                connection.send(filler)
                connection.send("\r\n0\r\n\r\n")
            case "endless":
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                let chunk = Array("4000\r\n".utf8) + Array(repeating: 65, count: 0x4000) + [13, 10]
                while connection.send(chunk) {}
                return
            case "fields":
                let fields = (1..<count).map { "X-\($0): v\r\n" }.joined()
                connection.send("\(ok)Content-Length: 0\r\n\(fields)\r\n")
            case "line":
                // Status line, length, this field and the empty line have `count` bytes together.
                let rest = "\(ok)Content-Length: 0\r\nX: \r\n\r\n".utf8.count
                let value = String(repeating: "v", count: count - rest)
                connection.send("\(ok)Content-Length: 0\r\nX: \(value)\r\n\r\n")
            case "header":
                connection.send(ok)
                while connection.send("X-Field: \(String(repeating: "v", count: 1000))\r\n") {}
                return
            case "interim":
                while connection.send("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n") {}
                return
            default:
                return
            }
        }
    }

    private static func limitBody(
        _ harness: ConformanceHarness, _ kind: String, _ limit: Int
    ) async throws {
        try await expectBody(harness, kind, limit, count: limit) { $0.bodyByteCount = limit }
        for excess in [limit + 1, limit * 100] where excess <= 1 << 21 {
            let error = try await expectError(harness, kind, excess, [.bodyTooLarge]) {
                $0.bodyByteCount = limit
            }
            try require(error.stage, is: .receivingBody, "stage")
            try require(
                error.reason.contains("\(limit)"), "the reason does not name the limit: \(error)")
        }
    }

    private static func expectBody(
        _ harness: ConformanceHarness, _ path: String, _ number: Int, count: Int,
        _ change: (inout TransportLimits) -> Void = { _ in }
    ) async throws {
        var limits = ConformanceHarness.defaultLimits
        change(&limits)
        try await harness.run(script, limits: limits) { client, _ in
            let body = try await client.read("\(path)/\(number)")
            try require(body.count, is: count, "bytes")
        }
    }

    @discardableResult
    private static func expectError(
        _ harness: ConformanceHarness, _ path: String, _ number: Int,
        _ codes: [TransportError.Code],
        _ change: (inout TransportLimits) -> Void = { _ in }
    ) async throws -> TransportError {
        var limits = ConformanceHarness.defaultLimits
        change(&limits)
        return try await harness.run(script, limits: limits) { client, _ in
            let stage: TransportError.Stage =
                codes == [.bodyTooLarge] ? .receivingBody : .receivingHeader
            return try await harness.error(codes, at: [stage]) {
                _ = try await client.read("\(path)/\(number)")
            }
        }
    }

    /// Checks of small bodies that decode to large ones.
    public var decompressionBombs: [Check] {
        [
            Check("counts decompressed bytes", of: self) { harness in
                let bytes = Gzip.zeros(megabytes: 1)
                for limit in [1 << 20, (1 << 20) - 1] {
                    try await Self.decode(
                        bytes, harness, limit: limit, isAccepted: limit == 1 << 20)
                }
            },
            Check("stops a bomb by its compression ratio", of: self) { harness in
                let error = try await Self.sendBomb(harness, "gzip") { limits in
                    // The ratio is exceeded long before this limit.
                    limits.bodyByteCount = 1 << 30
                }
                try require(error.code, is: .bodyTooLarge, "code")
                try require(
                    error.reason.contains("100 times"),
                    "the reason does not name the ratio: \(error)")
            },
            Check("stops a bomb by its decompressed size", of: self) { harness in
                let error = try await Self.sendBomb(harness, "gzip") { limits in
                    limits.decompressionRatio = .max
                    limits.bodyByteCount = 64 << 20
                }
                try require(error.code, is: .bodyTooLarge, "code")
                try require(
                    error.reason.contains("\(64 << 20)"), "the reason does not name the limit")
            },
            Check("rejects a nested bomb", of: self) { harness in
                let error = try await Self.sendBomb(harness, "gzip, gzip") { _ in }
                try require(error.code, is: .malformedResponse, "code")
            },
            Check("rejects a nested bomb in two fields", of: self) { harness in
                let error = try await Self.sendBomb(harness, "gzip\r\nContent-Encoding: gzip") {
                    _ in
                }
                try require(error.code, is: .malformedResponse, "code")
            },
        ]
    }

    /// Sends 1 MiB of compressed zeros.
    private static func decode(
        _ bytes: [UInt8], _ harness: ConformanceHarness, limit: Int, isAccepted: Bool
    ) async throws {
        var limits = ConformanceHarness.defaultLimits
        limits.bodyByteCount = limit
        try await harness.run(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
                connection.send("Content-Length: \(bytes.count)\r\n\r\n")
                connection.send(bytes)
                connection.waitUntilClosed()
            }, limits: limits
        ) { client, _ in
            if isAccepted {
                try require(try await client.read("zeros").count, is: 1 << 20, "bytes")
                return
            }
            let error = try await harness.error([.bodyTooLarge], at: [.receivingBody]) {
                _ = try await client.read("zeros")
            }
            try require(
                error.reason.contains("\(limit)"), "the reason does not name the limit: \(error)")
        }
    }

    private static func sendBomb(
        _ harness: ConformanceHarness, _ coding: String, _ change: (inout TransportLimits) -> Void
    ) async throws -> TransportError {
        let bomb = Gzip.zeros(megabytes: 150)
        try require(bomb.count < 160_000, "the bomb has \(bomb.count) bytes")
        var limits = ConformanceHarness.defaultLimits
        change(&limits)
        return try await harness.run(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(bomb.count)\r\n\r\n")
                connection.send(bomb)
                connection.waitUntilClosed()
            }, limits: limits
        ) { client, _ in
            try await harness.error([.bodyTooLarge, .malformedResponse]) {
                _ = try await client.read("bomb")
            }
        }
    }
}
