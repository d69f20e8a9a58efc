// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Checks of responses truncated at every byte, which must never yield a partial body.
    public var truncations: [Check] {
        TruncatedResponse.all.flatMap { response in
            [
                Check("rejects \(response.name) truncated in its header", of: self) {
                    try await response.check($0, isInHeader: true)
                },
                Check("rejects \(response.name) truncated in its body", of: self) {
                    try await response.check($0, isInHeader: false)
                },
            ]
        }
    }
}

/// A response and the part of it whose loss makes it incomplete.
private struct TruncatedResponse: Sendable {
    let name: String
    let header: [UInt8]
    let body: [UInt8]

    /// The number of bytes at the end that may be missing from a complete response.
    let optionalByteCount: Int

    init(
        _ name: String, interim: String = "", _ fields: String, _ body: [UInt8],
        optionalByteCount: Int = 0
    ) {
        self.name = name
        self.header = Array("\(interim)HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
        self.body = body
        self.optionalByteCount = optionalByteCount
    }

    static let all: [TruncatedResponse] = [
        TruncatedResponse("a sized body", "Content-Length: 11", Array("hello world".utf8)),
        TruncatedResponse(
            "a body after an interim response",
            interim: "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", "Content-Length: 11",
            Array("hello world".utf8)),
        TruncatedResponse(
            "a chunked body", "Transfer-Encoding: chunked",
            // After CR only LF can follow.
            Array("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".utf8), optionalByteCount: 1),
        TruncatedResponse(
            "a compressed body", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
            Array("22\r\n".utf8) + Gzip.stored("hello world") + Array("\r\n0\r\n\r\n".utf8),
            optionalByteCount: 1),
    ]

    func check(_ harness: ConformanceHarness, isInHeader: Bool) async throws {
        let complete = header + body
        let counts =
            isInHeader
            ? 0..<header.count : header.count..<(complete.count - optionalByteCount)
        try await harness.run { connection in
            guard let request = connection.readRequestText() else { return }
            let count = Int(request.dropFirst(5).prefix { $0.isNumber }) ?? 0
            connection.send(Array(complete.prefix(count)))
        } body: { client, _ in
            let text = try await client.readText("\(complete.count)")
            try require(text, is: "hello world", "the complete body")
            for count in counts {
                do {
                    try await harness.error(
                        [.incompleteBody, .connectionLost, .malformedResponse]
                    ) { _ = try await client.read("\(count)") }
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure("truncated to \(count) bytes: \(failure)")
                }
            }
        }
    }
}
