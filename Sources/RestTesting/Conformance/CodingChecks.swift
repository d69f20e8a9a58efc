// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Content codings.
    public var codings: [Check] {
        let text = "hello world hello world"
        let wholes: [(name: String, coding: String, bytes: [UInt8], text: String)] = [
            ("gzip", "gzip", Gzip.stored(text), text),
            ("deflate", "deflate", Gzip.storedWithZlib(text), text),
            ("gzip in capitals", "GZIP", Gzip.stored(text), text),
            ("gzip under its old name", "x-gzip", Gzip.stored(text), text),
            ("identity", "identity", Array(text.utf8), text),
        ]
        let broken: [(name: String, coding: String, bytes: [UInt8])] = [
            ("bytes that are no gzip", "gzip", Array(text.utf8)),
            ("gzip with a wrong checksum", "gzip", Gzip.stored(text, checksum: 1)),
            ("a coding nobody knows", "x-canary", Array(text.utf8)),
            ("two codings", "gzip, gzip", Gzip.stored(text)),
        ]
        return [
            Check("offers gzip", of: self, Self.offerGzip),
            Check("decodes a body that grows a thousand times, within the allowance", of: self) {
                try await Self.decode($0, "gzip", Gzip.zeros(megabytes: 1), isText: false) { body in
                    body.count == 1 << 20 && body.allSatisfy { $0 == 0 }
                }
            },
            Check("refuses gzip that is cut", of: self) {
                try await Self.refuseCuts($0, "gzip", Gzip.stored(text))
            },
            Check("refuses deflate that is cut", of: self) {
                try await Self.refuseCuts($0, "deflate", Gzip.storedWithZlib(text))
            },
            Check("takes an empty body with a coding", of: self) {
                try await Self.decode($0, "gzip", []) { $0.isEmpty }
            },
        ]
            + wholes.map { whole in
                Check("decodes \(whole.name)", of: self) {
                    try await Self.decode($0, whole.coding, whole.bytes) {
                        $0 == Array(whole.text.utf8)
                    }
                }
            }
            + broken.map { broken in
                Check("refuses \(broken.name)", of: self) { bench in
                    try await bench.play(Self.answer(broken.coding, broken.bytes)) { client, _ in
                        _ = try await bench.error(
                            [.malformedResponse, .incompleteBody],
                            at: [.receivingHeader, .receivingBody]
                        ) { _ = try await client.read("a") }
                    }
                }
            }
    }

    /// Cuts compressed bytes everywhere; the framing says each time that all of them have come.
    private static func refuseCuts(
        _ bench: TransportBench, _ coding: String, _ bytes: [UInt8]
    ) async throws {
        let script: LoopbackSocketServer.Script = { connection in
            while let request = connection.readRequestText() {
                let count = Int(request.dropFirst(5).prefix { $0.isNumber }) ?? 0
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(count)\r\n\r\n")
                connection.send(Array(bytes.prefix(count)))
            }
        }
        try await bench.play(script) { client, _ in
            for count in 1..<bytes.count {
                do {
                    try await bench.error([.incompleteBody], at: [.receivingBody]) {
                        _ = try await client.read("\(count)")
                    }
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure("\(count) bytes: \(failure)")
                }
            }
            let whole = try await client.read("\(bytes.count)")
            try require(!whole.isEmpty, "the whole body is empty")
        }
    }

    private static func answer(_ coding: String, _ bytes: [UInt8]) -> LoopbackSocketServer.Script {
        { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(bytes.count)\r\n\r\n")
                connection.send(bytes)
            }
        }
    }

    private static func decode(
        _ bench: TransportBench, _ coding: String, _ bytes: [UInt8], isText: Bool = true,
        _ isRight: ([UInt8]) -> Bool
    ) async throws {
        try await bench.play(answer(coding, bytes)) { client, _ in
            for _ in 0..<2 {
                let body = try await client.read("a")
                let shown = isText ? String(decoding: body, as: UTF8.self) : "\(body.count) bytes"
                try require(isRight(body), "decoded to \(shown)")
            }
        }
    }

    @Sendable private static func offerGzip(_ bench: TransportBench) async throws {
        try await bench.play(ok) { client, server in
            _ = try await client.read("a")
            let fields = server.receivedTexts.joined().lowercased().split(separator: "\r\n")
            let field = fields.first { $0.hasPrefix("accept-encoding:") }
            try require(field?.contains("gzip") == true, "gzip is not offered")
        }
    }
}
