// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Counts of headers and bodies: at the limit, one past it, far past it.
    public var limits: [Check] {
        let bodies = ["sized", "chunked", "until the end"].flatMap { kind in
            [1, 1000, 1 << 20].map { limit in
                Check("counts \(limit) bytes of a body, \(kind)", of: self) { bench in
                    try await Self.countBody(bench, kind, limit)
                }
            }
        }
        let times: [Duration] = [
            .nanoseconds(Int64.max), .seconds(9_223_372_036) + .milliseconds(999),
            .seconds(Int64.max),
        ]
        let endless = times.map { time in
            Check("takes times as long as \(time)", of: self) { bench in
                try await Self.expectBody(bench, "sized", 1000, count: 1000) {
                    $0.connectTimeout = time
                    $0.idleTimeout = time
                    $0.totalTimeout = time
                }
            }
        }
        return bodies + endless + [
            Check("ends a body without end", of: self) { bench in
                try await Self.expectRefusal(bench, "endless", 1, [.bodyTooLarge]) {
                    $0.bodyByteCount = 4 << 20
                }
            },
            Check("counts 256 header fields", of: self) { bench in
                try await Self.expectBody(bench, "fields", 256, count: 0)
                try await Self.expectRefusal(bench, "fields", 257, [.headerTooLarge])
            },
            Check("refuses 20,000 header fields", of: self) { bench in
                try await Self.expectRefusal(bench, "fields", 20_000, [.headerTooLarge])
            },
            Check("counts 65,536 header bytes", of: self) { bench in
                try await Self.expectBody(bench, "line", 65_536, count: 0)
                try await Self.expectRefusal(bench, "line", 65_537, [.headerTooLarge])
            },
            Check("refuses a header of 2 MB", of: self) { bench in
                try await Self.expectRefusal(bench, "line", 2_000_000, [.headerTooLarge])
            },
            Check("refuses a header without end", of: self) { bench in
                try await Self.expectRefusal(bench, "header", 1, [.headerTooLarge])
            },
            Check("counts interim responses", of: self) { bench in
                try await Self.expectRefusal(bench, "interim", 1, [.headerTooLarge])
            },
        ]
    }

    /// Answers each request with what its path asks for.
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
            case "until":
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
                // Status line, length, this field and the empty line: `count` bytes in all.
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

    private static func countBody(
        _ bench: TransportBench, _ kind: String, _ limit: Int
    ) async throws {
        let path = String(kind.prefix { $0 != " " })
        try await expectBody(bench, path, limit, count: limit) { $0.bodyByteCount = limit }
        for excess in [limit + 1, limit * 100] where excess <= 1 << 21 {
            let error = try await expectRefusal(bench, path, excess, [.bodyTooLarge]) {
                $0.bodyByteCount = limit
            }
            try require(error.stage, is: .receivingBody, "stage")
            try require(error.reason.contains("\(limit)"), "the limit is not named: \(error)")
        }
    }

    private static func expectBody(
        _ bench: TransportBench, _ path: String, _ number: Int, count: Int,
        _ change: (inout TransportLimits) -> Void = { _ in }
    ) async throws {
        var limits = TransportBench.patience
        change(&limits)
        try await bench.play(script, limits: limits) { client, _ in
            let body = try await client.read("\(path)/\(number)")
            try require(body.count, is: count, "bytes")
        }
    }

    @discardableResult
    private static func expectRefusal(
        _ bench: TransportBench, _ path: String, _ number: Int, _ codes: [TransportError.Code],
        _ change: (inout TransportLimits) -> Void = { _ in }
    ) async throws -> TransportError {
        var limits = TransportBench.patience
        change(&limits)
        return try await bench.play(script, limits: limits) { client, _ in
            let stage: TransportError.Stage =
                codes == [.bodyTooLarge] ? .receivingBody : .receivingHeader
            return try await bench.error(codes, at: [stage]) {
                _ = try await client.read("\(path)/\(number)")
            }
        }
    }

    /// Small bodies that decode to large ones.
    public var bombs: [Check] {
        [
            Check("counts the bytes that a body decodes to", of: self) { bench in
                let bytes = Gzip.zeros(megabytes: 1)
                for limit in [1 << 20, (1 << 20) - 1] {
                    try await Self.decode(bytes, bench, limit: limit, isWithin: limit == 1 << 20)
                }
            },
            Check("ends a bomb by its ratio", of: self) { bench in
                let error = try await Self.explode(bench, "gzip") { limits in
                    // The ratio ends it long before the limit on the body.
                    limits.bodyByteCount = 1 << 30
                }
                try require(error.code, is: .bodyTooLarge, "code")
                try require(error.reason.contains("100 times"), "the ratio is not named: \(error)")
            },
            Check("ends a bomb by its size", of: self) { bench in
                let error = try await Self.explode(bench, "gzip") { limits in
                    limits.decompressionRatio = .max
                    limits.bodyByteCount = 64 << 20
                }
                try require(error.code, is: .bodyTooLarge, "code")
                try require(error.reason.contains("\(64 << 20)"), "the limit is not named")
            },
            Check("refuses a bomb within a bomb", of: self) { bench in
                let error = try await Self.explode(bench, "gzip, gzip") { _ in }
                try require(error.code, is: .malformedResponse, "code")
            },
            Check("refuses a bomb within a bomb in two fields", of: self) { bench in
                let error = try await Self.explode(bench, "gzip\r\nContent-Encoding: gzip") { _ in }
                try require(error.code, is: .malformedResponse, "code")
            },
        ]
    }

    /// Sends a mebibyte of zeros, compressed.
    private static func decode(
        _ bytes: [UInt8], _ bench: TransportBench, limit: Int, isWithin: Bool
    ) async throws {
        var limits = TransportBench.patience
        limits.bodyByteCount = limit
        try await bench.play(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
                connection.send("Content-Length: \(bytes.count)\r\n\r\n")
                connection.send(bytes)
                connection.waitUntilClosed()
            }, limits: limits
        ) { client, _ in
            if isWithin {
                try require(try await client.read("zeros").count, is: 1 << 20, "bytes")
                return
            }
            let error = try await bench.error([.bodyTooLarge], at: [.receivingBody]) {
                _ = try await client.read("zeros")
            }
            try require(error.reason.contains("\(limit)"), "the limit is not named: \(error)")
        }
    }

    private static func explode(
        _ bench: TransportBench, _ coding: String, _ change: (inout TransportLimits) -> Void
    ) async throws -> TransportError {
        let bomb = Gzip.zeros(megabytes: 150)
        try require(bomb.count < 160_000, "the bomb has \(bomb.count) bytes")
        var limits = TransportBench.patience
        change(&limits)
        return try await bench.play(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(bomb.count)\r\n\r\n")
                connection.send(bomb)
                connection.waitUntilClosed()
            }, limits: limits
        ) { client, _ in
            try await bench.error([.bodyTooLarge, .malformedResponse]) {
                _ = try await client.read("bomb")
            }
        }
    }
}
