// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Checks of ambiguous and malformed framing, which must never lead to a wrong body.
    public var framing: [Check] {
        FramedResponse.all.map { response in
            Check(response.name, of: self) { try await response.check($0) }
        }
    }
}

/// The bytes of a response and the only body that may be read from them.
private struct FramedResponse: Sendable {
    let name: String
    let bytes: String

    /// The body, or `nil` if the response must be rejected.
    let body: String?

    /// A Boolean value that indicates whether the response must be accepted.
    let mustBeAccepted: Bool

    static func rejected(_ name: String, _ bytes: String) -> FramedResponse {
        FramedResponse(name: "rejects \(name)", bytes: bytes, body: nil, mustBeAccepted: false)
    }

    static func lenient(_ name: String, _ bytes: String, _ body: String = "hello") -> FramedResponse
    {
        FramedResponse(
            name: "never misreads \(name)", bytes: bytes, body: body, mustBeAccepted: false)
    }

    static func accepted(_ name: String, _ bytes: String, _ body: String = "hello")
        -> FramedResponse
    {
        FramedResponse(name: "accepts \(name)", bytes: bytes, body: body, mustBeAccepted: true)
    }

    func check(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send(bytes)
        } body: { client, _ in
            let result: Result<String, TransportError>
            do {
                result = .success(try await client.readText("a"))
            } catch let error as TransportError {
                result = .failure(error)
            }
            switch (result, body) {
            case (.success(let text), nil):
                throw ConformanceFailure("accepted, with the body `\(text)`")
            case (.success(let text), let body?):
                try require(text, is: body, "body")
            case (.failure(let error), _):
                try require(!mustBeAccepted, "rejected: \(error)")
                let codes: [TransportError.Code] = [
                    .malformedResponse, .connectionLost, .incompleteBody,
                ]
                let isExpected = (codes + harness.additionalCodes).contains(error.code)
                try require(isExpected, "code of \(error)")
            }
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(ok)Transfer-Encoding: chunked\r\n\r\n"
    private static let end = "\r\n0\r\n\r\n"

    static let all: [FramedResponse] = lengths + codings + chunks + lines

    private static let lengths: [FramedResponse] = [
        .rejected(
            "two lengths, the longer one first",
            "\(ok)Content-Length: 5\r\nContent-Length: 4\r\n\r\nhello"),
        .rejected(
            "two lengths, the shorter one first",
            "\(ok)Content-Length: 4\r\nContent-Length: 5\r\n\r\nhello"),
        .rejected("two lengths in one field", "\(ok)Content-Length: 5, 4\r\n\r\nhello"),
        .lenient("one length twice", "\(ok)Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        .lenient("one length twice in one field", "\(ok)Content-Length: 5, 5\r\n\r\nhello"),
        .rejected("a negative length", "\(ok)Content-Length: -1\r\n\r\nhello"),
        .rejected("a length with a sign", "\(ok)Content-Length: +5\r\n\r\nhello"),
        .rejected("a hexadecimal length", "\(ok)Content-Length: 0x5\r\n\r\nhello"),
        .rejected("a length in words", "\(ok)Content-Length: five\r\n\r\nhello"),
        .rejected("a length followed by another", "\(ok)Content-Length: 5 5\r\n\r\nhello"),
        .rejected(
            "a length beyond 64 bits", "\(ok)Content-Length: 18446744073709551621\r\n\r\nhello"),
        .lenient("an empty length", "\(ok)Content-Length:\r\n\r\nhello"),
        .accepted("a close-delimited body", "\(ok)Connection: close\r\n\r\nhello"),
        .accepted("an HTTP/1.0 response", "HTTP/1.0 200 OK\r\n\r\nhello"),
    ]

    private static let codings: [FramedResponse] = [
        .lenient(
            "a length before a transfer coding",
            "\(ok)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\(end)"),
        .lenient(
            "a transfer coding before a length",
            "\(ok)Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\(end)"),
        .accepted(
            "a transfer coding in upper case",
            "\(ok)Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\(end)"),
        .rejected(
            "an unknown transfer coding",
            "\(ok)Transfer-Encoding: xchunked\r\n\r\n5\r\nhello\(end)"),
        .rejected(
            "a second transfer coding",
            "\(ok)Transfer-Encoding: chunked, xyz\r\n\r\n5\r\nhello\(end)"),
        .rejected(
            "the chunked coding twice",
            "\(ok)Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\(end)"),
    ]

    private static let chunks: [FramedResponse] = [
        .accepted("a chunk with an extension", "\(chunked)5;a=\"b\"\r\nhello\(end)"),
        .accepted("a chunk with leading zeros", "\(chunked)0005\r\nhello\(end)"),
        .accepted("a trailer", "\(chunked)5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n"),
        .rejected("a chunk size in words", "\(chunked)five\r\nhello\(end)"),
        .rejected("an empty chunk size", "\(chunked)\r\nhello\(end)"),
        .rejected("a negative chunk size", "\(chunked)-5\r\nhello\(end)"),
        .rejected("a chunk size with a sign", "\(chunked)+5\r\nhello\(end)"),
        .rejected("a chunk size with a prefix", "\(chunked)0x5\r\nhello\(end)"),
        .rejected("a chunk size beyond 64 bits", "\(chunked)10000000000000005\r\nhello\(end)"),
        .rejected("a chunk longer than its size", "\(chunked)4\r\nhello\(end)"),
        .rejected("a chunk shorter than its size", "\(chunked)6\r\nhello\(end)"),
        .lenient("whitespace before a chunk size", "\(chunked) 5\r\nhello\(end)"),
        .lenient("whitespace after a chunk size", "\(chunked)5 \r\nhello\(end)"),
        .lenient("chunks with bare LF", "\(chunked)5\nhello\n0\n\n"),
    ]

    private static let lines: [FramedResponse] = [
        .lenient("a header with bare LF", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        .lenient(
            "a folded field",
            "\(ok)X-Folded: a\r\n Content-Length: 3\r\n"
                + "Content-Length: 5\r\n\r\nhello"),
        .lenient("whitespace before a colon", "\(ok)Content-Length : 5\r\n\r\nhello"),
        .lenient("whitespace before a field", "\(ok) Content-Length: 3\r\n\r\nhello"),
        .rejected(
            "a control character in a name", "\(ok)X\u{1}: a\r\nContent-Length: 5\r\n\r\nhello"),
        .rejected("a zero byte in a value", "\(ok)X: a\u{0}b\r\nContent-Length: 5\r\n\r\nhello"),
        .lenient(
            "a bare CR in a value",
            "\(ok)X: a\rContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello"),
        .rejected("a line without a colon", "\(ok)nonsense\r\nContent-Length: 5\r\n\r\nhello"),
        .rejected("a field without a name", "\(ok): 1\r\nContent-Length: 5\r\n\r\nhello"),
        .lenient("an empty line before the status line", "\r\n\(ok)Content-Length: 5\r\n\r\nhello"),
        .rejected(
            "another protocol name", "HTPT/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        .rejected("an invalid HTTP version", "HTTP/x.y 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    ]
}
