// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Responses whose framing is ambiguous or broken: never a wrong body.
    public var framing: [Check] {
        FramedResponse.all.map { response in
            Check(response.name, of: self) { try await response.check($0) }
        }
    }
}

/// Bytes of a response, and the one body they may be taken for.
private struct FramedResponse: Sendable {
    let name: String
    let bytes: String

    /// The body, or `nil` when the response has to be refused.
    let body: String?

    /// Whether the body has to be taken.
    let mustBeTaken: Bool

    static func refused(_ name: String, _ bytes: String) -> FramedResponse {
        FramedResponse(name: "refuses \(name)", bytes: bytes, body: nil, mustBeTaken: false)
    }

    static func safe(_ name: String, _ bytes: String, _ body: String = "hello") -> FramedResponse {
        FramedResponse(
            name: "takes no wrong body from \(name)", bytes: bytes, body: body, mustBeTaken: false)
    }

    static func taken(_ name: String, _ bytes: String, _ body: String = "hello") -> FramedResponse {
        FramedResponse(name: "takes \(name)", bytes: bytes, body: body, mustBeTaken: true)
    }

    func check(_ bench: TransportBench) async throws {
        try await bench.play { connection in
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
                throw ConformanceFailure("taken, with the body `\(text)`")
            case (.success(let text), let body?):
                try require(text, is: body, "body")
            case (.failure(let error), _):
                try require(!mustBeTaken, "refused: \(error)")
                let codes: [TransportError.Code] = [
                    .malformedResponse, .connectionLost, .incompleteBody,
                ]
                let isKnown = (codes + bench.alsoAcceptedCodes).contains(error.code)
                try require(isKnown, "code of \(error)")
            }
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = "\(ok)Transfer-Encoding: chunked\r\n\r\n"
    private static let end = "\r\n0\r\n\r\n"

    static let all: [FramedResponse] = lengths + codings + chunks + lines

    private static let lengths: [FramedResponse] = [
        .refused(
            "two lengths, the longer one first",
            "\(ok)Content-Length: 5\r\nContent-Length: 4\r\n\r\nhello"),
        .refused(
            "two lengths, the shorter one first",
            "\(ok)Content-Length: 4\r\nContent-Length: 5\r\n\r\nhello"),
        .refused("two lengths in one field", "\(ok)Content-Length: 5, 4\r\n\r\nhello"),
        .safe("one length twice", "\(ok)Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        .safe("one length twice in one field", "\(ok)Content-Length: 5, 5\r\n\r\nhello"),
        .refused("a negative length", "\(ok)Content-Length: -1\r\n\r\nhello"),
        .refused("a length with a sign", "\(ok)Content-Length: +5\r\n\r\nhello"),
        .refused("a length in base 16", "\(ok)Content-Length: 0x5\r\n\r\nhello"),
        .refused("a length that is a word", "\(ok)Content-Length: five\r\n\r\nhello"),
        .refused("a length with a rest", "\(ok)Content-Length: 5 5\r\n\r\nhello"),
        .refused(
            "a length past 64 bits", "\(ok)Content-Length: 18446744073709551621\r\n\r\nhello"),
        .safe("a length that is empty", "\(ok)Content-Length:\r\n\r\nhello"),
        .taken("a body that ends with the connection", "\(ok)Connection: close\r\n\r\nhello"),
        .taken("a response of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello"),
    ]

    private static let codings: [FramedResponse] = [
        .safe(
            "a length beside chunks",
            "\(ok)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\(end)"),
        .safe(
            "chunks beside a length",
            "\(ok)Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\(end)"),
        .taken("chunks in capitals", "\(ok)Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\(end)"),
        .refused(
            "a transfer coding nobody knows",
            "\(ok)Transfer-Encoding: xchunked\r\n\r\n5\r\nhello\(end)"),
        .refused(
            "chunks within another coding",
            "\(ok)Transfer-Encoding: chunked, xyz\r\n\r\n5\r\nhello\(end)"),
        .refused(
            "chunks within chunks",
            "\(ok)Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\(end)"),
    ]

    private static let chunks: [FramedResponse] = [
        .taken("a chunk with an extension", "\(chunked)5;a=\"b\"\r\nhello\(end)"),
        .taken("a chunk with leading zeros", "\(chunked)0005\r\nhello\(end)"),
        .taken("a trailer", "\(chunked)5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n"),
        .refused("a chunk size that is a word", "\(chunked)five\r\nhello\(end)"),
        .refused("a chunk size that is empty", "\(chunked)\r\nhello\(end)"),
        .refused("a negative chunk size", "\(chunked)-5\r\nhello\(end)"),
        .refused("a chunk size with a sign", "\(chunked)+5\r\nhello\(end)"),
        .refused("a chunk size with a prefix", "\(chunked)0x5\r\nhello\(end)"),
        .refused("a chunk size past 64 bits", "\(chunked)10000000000000005\r\nhello\(end)"),
        .refused("a chunk longer than its size", "\(chunked)4\r\nhello\(end)"),
        .refused("a chunk shorter than its size", "\(chunked)6\r\nhello\(end)"),
        .safe("a blank before a chunk size", "\(chunked) 5\r\nhello\(end)"),
        .safe("a blank after a chunk size", "\(chunked)5 \r\nhello\(end)"),
        .safe("chunks with bare line ends", "\(chunked)5\nhello\n0\n\n"),
    ]

    private static let lines: [FramedResponse] = [
        .safe("a header with bare line ends", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        .safe(
            "a field that is folded",
            "\(ok)X-Folded: a\r\n Content-Length: 3\r\n"
                + "Content-Length: 5\r\n\r\nhello"),
        .safe("a blank before a colon", "\(ok)Content-Length : 5\r\n\r\nhello"),
        .safe("a blank before a field", "\(ok) Content-Length: 3\r\n\r\nhello"),
        .refused(
            "a control character in a name", "\(ok)X\u{1}: a\r\nContent-Length: 5\r\n\r\nhello"),
        .refused("a zero byte in a value", "\(ok)X: a\u{0}b\r\nContent-Length: 5\r\n\r\nhello"),
        .safe(
            "a bare CR in a value",
            "\(ok)X: a\rContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello"),
        .refused("a line without a colon", "\(ok)nonsense\r\nContent-Length: 5\r\n\r\nhello"),
        .refused("a field without a name", "\(ok): 1\r\nContent-Length: 5\r\n\r\nhello"),
        .safe("an empty line before the status", "\r\n\(ok)Content-Length: 5\r\n\r\nhello"),
        .refused(
            "a protocol that is not HTTP", "HTPT/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        .refused("a version that is none", "HTTP/x.y 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    ]
}
