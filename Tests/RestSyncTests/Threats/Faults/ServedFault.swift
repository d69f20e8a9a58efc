// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport

/// A fault of a server, and the errors that every request must end with.
struct ServedFault: Sendable, CustomStringConvertible {
    /// The behaviour after a request has been read.
    typealias Behavior = @Sendable (LoopbackConnection) -> Void

    /// The destination of the client.
    enum Destination: Sendable {
        case server(Behavior)
        /// A server without TLS, to which the client connects with TLS.
        case withoutTLS
        case certificate(TestAuthority.Certificate)
    }

    let description: String
    let code: NetworkingError.Code
    /// The possible codes of the transport's error; empty if the request succeeds.
    let transportCodes: [TransportError.Code]
    let destination: Destination
    /// A Boolean value that indicates whether Foundation on Linux crashes or behaves differently.
    var isUnsupportedByFoundation = false
    /// A Boolean value that indicates whether the client retries temporary failures.
    var isRetried = false

    private init(
        _ description: String, _ code: NetworkingError.Code,
        transport transportCodes: [TransportError.Code] = [], _ destination: Destination
    ) {
        self.description = description
        self.code = code
        self.transportCodes = transportCodes
        self.destination = destination
    }

    private init(
        _ description: String, _ transportCodes: [TransportError.Code],
        _ behavior: @escaping Behavior
    ) {
        self.init(description, .transportFailed, transport: transportCodes, .server(behavior))
    }

    /// Creates a fault that sends fixed text and closes the connection.
    private init(_ description: String, _ transportCodes: [TransportError.Code], _ text: String) {
        self.init(description, transportCodes) { $0.send(text) }
    }

    private func retried() -> ServedFault {
        var fault = self
        fault.isRetried = true
        return fault
    }

    private func unsupportedByFoundation() -> ServedFault {
        var fault = self
        fault.isUnsupportedByFoundation = true
        return fault
    }

    // MARK: Faults

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
        ServedFault("T11 an endless body", [.bodyTooLarge]) { connection in
            connection.send(chunked)
            let chunk = "4000\r\n\(String(repeating: "[", count: 0x4000))\r\n"
            // Foundation on Linux buffers data until it notices the cancellation.
            for _ in 0..<4096 where !connection.send(chunk) { return }
        },
        ServedFault("T12 a decompression bomb", [.bodyTooLarge]) { connection in
            let compressed = Gzip.zeros(megabytes: 4)
            connection.send(
                "\(ok)Content-Encoding: gzip\r\nContent-Length: \(compressed.count)\r\n\r\n")
            connection.send(compressed)
        },
        ServedFault("T12 nested compression", [.malformedResponse]) { connection in
            let compressed = Gzip.stored("[\(issue)]")
            connection.send("\(ok)Content-Encoding: gzip, gzip\r\n")
            connection.send("Content-Length: \(compressed.count)\r\n\r\n")
            connection.send(compressed)
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
        ServedFault("T13 no response", [.timedOut]) { $0.waitUntilClosed() },
        ServedFault("T13 no end of the header", [.timedOut]) { connection in
            connection.send(ok)
            connection.waitUntilClosed()
        },
        ServedFault("T13 no end of the body", [.timedOut]) { connection in
            connection.send(sized)
            connection.waitUntilClosed()
        },
        ServedFault("T13 a slow body", [.timedOut]) { connection in
            connection.send("\(ok)Content-Length: 1000\r\n\r\n")
            while connection.send("["), connection.pause(0.05) {}
        },
    ]

    /// T14.
    private static let cuts = [
        ServedFault("T14 a connection closed in the header", [.connectionLost], ok)
            .unsupportedByFoundation(),
        ServedFault("T14 a short body", [.incompleteBody], sized),
        ServedFault("T14 a missing last chunk", [.incompleteBody], wholeChunk),
        ServedFault("T14 a connection reset in the body", [.incompleteBody]) { connection in
            connection.send(sized)
            connection.pause(0.05)
            connection.reset()
        },
        ServedFault("T14 truncated gzip", [.incompleteBody]) { connection in
            let bytes = Gzip.stored("[\(issue)]").dropLast(9)
            connection.send("\(ok)Content-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.send(Array(bytes))
        }.unsupportedByFoundation(),
    ]

    /// T15.
    private static let frames = [
        ServedFault(
            "T15 two content lengths", [.malformedResponse],
            "\(ok)Content-Length: 3\r\nContent-Length: 2\r\n\r\n[] "),
        ServedFault(
            "T15 an invalid chunk size", [.malformedResponse, .incompleteBody],
            "\(chunked)two\r\n[]\r\n0\r\n\r\n"),
        ServedFault(
            "T15 a control character in a field name", [.malformedResponse, .connectionLost],
            "\(ok)X\u{1}: 1\r\nContent-Length: 2\r\n\r\n[]"),
    ]

    /// T18.
    private static let redirects = [
        ServedFault(
            "T18 a redirect loop", [.tooManyRedirects],
            "\(found)Location: /there\r\n\r\n"),
        ServedFault(
            "T18 a redirect to a file URL", [.redirectRefused],
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
            "T19 503 for every attempt", .unexpectedStatus,
            .server { $0.send("HTTP/1.1 503 Later\r\nRetry-After: 0\r\n\(empty)") }
        ).retried(),
        ServedFault("T19 a closed connection for every attempt", [.connectionLost], "").retried(),
    ]

    /// T20.
    private static let secrets =
        [ServedFault("T20 no TLS", .transportFailed, transport: [.tlsFailed], .withoutTLS)]
        + [TestAuthority.Certificate.selfSigned, .expired, .wrongHost].map {
            ServedFault(
                "T20 a certificate that is \($0)", .transportFailed, transport: [.tlsFailed],
                .certificate($0))
        }
}
