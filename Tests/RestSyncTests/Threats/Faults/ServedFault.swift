// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport

/// A misbehaviour of a server, and what every request has to end in.
struct ServedFault: Sendable, CustomStringConvertible {
    /// What is done once a request has been read.
    typealias Answer = @Sendable (LoopbackConnection) -> Void

    /// Where the client goes.
    enum Place: Sendable {
        case server(Answer)
        /// A server whose port is taken for that of a secure one.
        case notSecure
        case certificate(TestAuthority.Certificate)
    }

    let description: String
    let code: NetworkingError.Code
    /// What the transport may say; nothing when it succeeds.
    let transportCodes: [TransportError.Code]
    let place: Place
    /// Whether Foundation on Linux ends the process or answers something else here.
    var isBeyondFoundation = false
    /// Whether requests are sent again that fail in a way that may pass.
    var isRetried = false

    private init(
        _ description: String, _ code: NetworkingError.Code,
        transport transportCodes: [TransportError.Code] = [], _ place: Place
    ) {
        self.description = description
        self.code = code
        self.transportCodes = transportCodes
        self.place = place
    }

    private init(
        _ description: String, _ transportCodes: [TransportError.Code], _ answer: @escaping Answer
    ) {
        self.init(description, .transportFailed, transport: transportCodes, .server(answer))
    }

    /// A fault that is a fixed text, after which the connection closes.
    private init(_ description: String, _ transportCodes: [TransportError.Code], _ text: String) {
        self.init(description, transportCodes) { $0.send(text) }
    }

    private func retried() -> ServedFault {
        var fault = self
        fault.isRetried = true
        return fault
    }

    private func beyondFoundation() -> ServedFault {
        var fault = self
        fault.isBeyondFoundation = true
        return fault
    }

    // MARK: The table

    private static let ok =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        + "Cache-Control: max-age=60\r\n"
    private static let issue =
        #"{"id":2,"number":2,"title":"wrong","state":"open","created_at":"1970-01-01T00:00:00Z"}"#
    private static let sized = "\(ok)Content-Length: \(issue.utf8.count + 2)\r\n\r\n[\(issue)"
    private static let chunked = "\(ok)Transfer-Encoding: chunked\r\n\r\n"
    private static let wholeChunk =
        "\(chunked)\(String(issue.utf8.count + 2, radix: 16))\r\n[\(issue)]\r\n"

    private static let found =
        "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
    private static let empty = "Connection: close\r\nContent-Length: 2\r\n\r\n[]"

    static let all = sizes + times + cuts + frames + redirects + outcomes + secrets

    /// T11, T12, T16.
    private static let sizes = [
        ServedFault("T11 a body without end", [.bodyTooLarge]) { connection in
            connection.send(chunked)
            let chunk = "4000\r\n\(String(repeating: "[", count: 0x4000))\r\n"
            // Foundation on Linux keeps what comes until it notices that nobody wants it.
            for _ in 0..<4096 where !connection.send(chunk) { return }
        },
        ServedFault("T12 a bomb", [.bodyTooLarge]) { connection in
            let bomb = Gzip.zeros(megabytes: 4)
            connection.send("\(ok)Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            connection.send(bomb)
        },
        ServedFault("T12 a bomb within a bomb", [.malformedResponse]) { connection in
            let bomb = Gzip.stored("[\(issue)]")
            connection.send("\(ok)Content-Encoding: gzip, gzip\r\n")
            connection.send("Content-Length: \(bomb.count)\r\n\r\n")
            connection.send(bomb)
        },
        ServedFault(
            "T16 300 fields", [.headerTooLarge],
            ok + (0..<300).map { "X-\($0): 1\r\n" }.joined() + "Content-Length: 0\r\n\r\n"),
        ServedFault(
            "T16 a field of 100,000 bytes", [.headerTooLarge],
            "\(ok)X: \(String(repeating: "x", count: 100_000))\r\nContent-Length: 0\r\n\r\n"),
    ]

    /// T13.
    private static let times = [
        ServedFault("T13 silence", [.timedOut]) { $0.waitUntilClosed() },
        ServedFault("T13 silence within the header", [.timedOut]) { connection in
            connection.send(ok)
            connection.waitUntilClosed()
        },
        ServedFault("T13 silence within the body", [.timedOut]) { connection in
            connection.send(sized)
            connection.waitUntilClosed()
        },
        ServedFault("T13 a body that drips", [.timedOut]) { connection in
            connection.send("\(ok)Content-Length: 1000\r\n\r\n")
            while connection.send("["), connection.pause(0.05) {}
        },
    ]

    /// T14.
    private static let cuts = [
        ServedFault("T14 a close in the header", [.connectionLost], ok).beyondFoundation(),
        ServedFault("T14 a body that is short", [.incompleteBody], sized),
        ServedFault("T14 a last chunk that is missing", [.incompleteBody], wholeChunk),
        ServedFault("T14 a reset in the body", [.incompleteBody]) { connection in
            connection.send(sized)
            connection.pause(0.05)
            connection.reset()
        },
        ServedFault("T14 gzip that is cut", [.incompleteBody]) { connection in
            let bytes = Gzip.stored("[\(issue)]").dropLast(9)
            connection.send("\(ok)Content-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.send(Array(bytes))
        }.beyondFoundation(),
    ]

    /// T15.
    private static let frames = [
        ServedFault(
            "T15 two lengths", [.malformedResponse],
            "\(ok)Content-Length: 3\r\nContent-Length: 2\r\n\r\n[] "),
        ServedFault(
            "T15 a chunk size that is a word", [.malformedResponse, .incompleteBody],
            "\(chunked)two\r\n[]\r\n0\r\n\r\n"),
        ServedFault(
            "T15 a control character in a name", [.malformedResponse, .connectionLost],
            "\(ok)X\u{1}: 1\r\nContent-Length: 2\r\n\r\n[]"),
    ]

    /// T18.
    private static let redirects = [
        ServedFault(
            "T18 a circle", [.tooManyRedirects],
            "\(found)Location: /there\r\n\r\n"),
        ServedFault(
            "T18 an address that is a file's", [.redirectRefused],
            "\(found)Location: file:///etc/passwd\r\n\r\n"),
    ]

    /// T17, T19.
    private static let outcomes = [
        ServedFault(
            "T17 a status 999", .unexpectedStatus,
            .server { $0.send("HTTP/1.1 999 What\r\n\(empty)") }),
        ServedFault(
            "T17 304 without a stored response", .unexpectedStatus,
            .server { $0.send("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n") }),
        ServedFault(
            "T19 503 at every attempt", .unexpectedStatus,
            .server { $0.send("HTTP/1.1 503 Later\r\nRetry-After: 0\r\n\(empty)") }
        ).retried(),
        ServedFault("T19 a close at every attempt", [.connectionLost], "").retried(),
    ]

    /// T20.
    private static let secrets =
        [ServedFault("T20 no TLS", .transportFailed, transport: [.tlsFailed], .notSecure)]
        + [TestAuthority.Certificate.selfSigned, .expired, .wrongHost].map {
            ServedFault(
                "T20 a certificate that is \($0)", .transportFailed, transport: [.tlsFailed],
                .certificate($0))
        }
}
