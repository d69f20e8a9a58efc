// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Checks of content codings.
    public var contentCodings: [Check] {
        let text = "hello world hello world"
        let valid: [(name: String, coding: String, bytes: [UInt8], text: String)] = [
            ("gzip", "gzip", Gzip.stored(text), text),
            ("deflate", "deflate", Gzip.storedWithZlib(text), text),
            ("gzip in upper case", "GZIP", Gzip.stored(text), text),
            ("x-gzip", "x-gzip", Gzip.stored(text), text),
            ("identity", "identity", Array(text.utf8), text),
        ]
        let invalid: [(name: String, coding: String, bytes: [UInt8])] = [
            ("bytes that are not gzip", "gzip", Array(text.utf8)),
            ("gzip with a wrong checksum", "gzip", Gzip.stored(text, checksum: 1)),
            ("an unknown content coding", "x-canary", Array(text.utf8)),
            ("two content codings", "gzip, gzip", Gzip.stored(text)),
        ]
        return [
            Check("offers gzip", of: self, Self.offerGzip),
            Check("decodes a body compressed a thousandfold", of: self) {
                try await Self.decode($0, "gzip", Gzip.zeros(megabytes: 1), isText: false) { body in
                    body.count == 1 << 20 && body.allSatisfy { $0 == 0 }
                }
            },
            Check("rejects truncated gzip", of: self) {
                try await Self.rejectTruncations($0, "gzip", Gzip.stored(text))
            },
            Check("rejects truncated deflate", of: self) {
                try await Self.rejectTruncations($0, "deflate", Gzip.storedWithZlib(text))
            },
            Check("accepts an empty body with a content coding", of: self) {
                try await Self.decode($0, "gzip", []) { $0.isEmpty }
            },
        ]
            + valid.map { example in
                Check("decodes \(example.name)", of: self) {
                    try await Self.decode($0, example.coding, example.bytes) {
                        $0 == Array(example.text.utf8)
                    }
                }
            }
            + invalid.map { example in
                Check("rejects \(example.name)", of: self) { harness in
                    try await harness.run(Self.respond(example.coding, example.bytes)) {
                        client, _ in
                        _ = try await harness.error(
                            [.malformedResponse, .incompleteBody],
                            at: [.receivingHeader, .receivingBody]
                        ) { _ = try await client.read("a") }
                    }
                }
            }
    }

    /// Truncates compressed bytes everywhere, while the framing declares the body complete.
    private static func rejectTruncations(
        _ harness: ConformanceHarness, _ coding: String, _ bytes: [UInt8]
    ) async throws {
        let script: LoopbackSocketServer.Script = { connection in
            while let request = connection.readRequestText() {
                let count = Int(request.dropFirst(5).prefix { $0.isNumber }) ?? 0
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(count)\r\n\r\n")
                connection.send(Array(bytes.prefix(count)))
            }
        }
        try await harness.run(script) { client, _ in
            for count in 1..<bytes.count {
                do {
                    try await harness.error([.incompleteBody], at: [.receivingBody]) {
                        _ = try await client.read("\(count)")
                    }
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure("\(count) bytes: \(failure)")
                }
            }
            let body = try await client.read("\(bytes.count)")
            try require(!body.isEmpty, "the complete body is empty")
        }
    }

    private static func respond(_ coding: String, _ bytes: [UInt8]) -> LoopbackSocketServer.Script {
        { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                connection.send("Content-Length: \(bytes.count)\r\n\r\n")
                connection.send(bytes)
            }
        }
    }

    private static func decode(
        _ harness: ConformanceHarness, _ coding: String, _ bytes: [UInt8], isText: Bool = true,
        _ isExpected: ([UInt8]) -> Bool
    ) async throws {
        try await harness.run(respond(coding, bytes)) { client, _ in
            for _ in 0..<2 {
                let body = try await client.read("a")
                let shown = isText ? String(decoding: body, as: UTF8.self) : "\(body.count) bytes"
                try require(isExpected(body), "decoded to \(shown)")
            }
        }
    }

    @Sendable private static func offerGzip(_ harness: ConformanceHarness) async throws {
        try await harness.run(ok) { client, server in
            _ = try await client.read("a")
            let fields = server.receivedTexts.joined().lowercased().split(separator: "\r\n")
            let field = fields.first { $0.hasPrefix("accept-encoding:") }
            try require(field?.contains("gzip") == true, "gzip is not offered")
        }
    }
}
