// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Checks of server faults at each stage, and of the errors in which they end.
    public var faults: [Check] {
        ServerFault.all.map { fault in
            Check(fault.name, of: self) { try await fault.check($0) }
        }
    }

    /// Checks of stalled and trickling servers, which only timeouts stop.
    public var timeouts: [Check] {
        ServerFault.slow.map { fault in
            Check(fault.name, of: self) { try await fault.check($0) }
        }
    }
}

/// A fault of a server and the errors in which it may end.
struct ServerFault: Sendable {
    /// The peer to which the client connects.
    enum Peer: Sendable {
        case server(LoopbackSocketServer.Script)
        case tlsServer(LoopbackSocketServer.Script)
        case refusingPort
        case unansweringPort
    }

    let name: String
    let codes: [TransportError.Code]
    let stages: [TransportError.Stage]
    let peer: Peer
    var limits = ConformanceHarness.defaultLimits

    init(
        _ name: String, _ codes: [TransportError.Code], at stages: [TransportError.Stage],
        _ peer: Peer
    ) {
        self.name = name
        self.codes = codes
        self.stages = stages
        self.peer = peer
    }

    /// Creates a fault in which the server sends fixed text and closes the connection.
    init(
        _ name: String, _ codes: [TransportError.Code], at stages: [TransportError.Stage],
        answer: String
    ) {
        self.init(
            name, codes, at: stages,
            .server { connection in
                connection.readRequest()
                connection.send(answer)
            })
    }

    /// Returns the fault with short timeouts.
    private func withShortTimeouts() -> ServerFault {
        var fault = self
        fault.limits.connectTimeout = .milliseconds(600)
        fault.limits.idleTimeout = .milliseconds(600)
        fault.limits.totalTimeout = .seconds(1)
        return fault
    }

    /// Runs the fault twice over one transport.
    func check(_ harness: ConformanceHarness) async throws {
        switch peer {
        case .server(let script):
            try await harness.run(script, limits: limits) { client, _ in
                try await expect(harness, client)
            }
        case .tlsServer(let script):
            try await LoopbackSocketServer.run(script) { server in
                let baseURL = "https://127.0.0.1:\(server.port)/"
                try await harness.withClient(baseURL, limits: limits) {
                    try await expect(harness, $0)
                }
            }
        case .refusingPort:
            try await LoopbackSocketServer.runRefusing { baseURL in
                try await harness.withClient(baseURL, limits: limits) {
                    try await expect(harness, $0)
                }
            }
        case .unansweringPort:
            try await LoopbackSocketServer.runUnanswering { baseURL in
                try await harness.withClient(baseURL, limits: limits) {
                    try await expect(harness, $0)
                }
            }
        }
    }

    private func expect(_ harness: ConformanceHarness, _ client: HTTPClient) async throws {
        for _ in 0..<2 {
            let error = try await harness.error(codes, at: stages) {
                _ = try await client.read("path?token=canary")
            }
            try require(error.method, is: "GET", "method of the error")
            try require(error.url?.hasSuffix("/path?…") == true, "URL of \(error)")
            try require(!error.description.contains("canary"), "the error contains the query")
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    // MARK: The table

    static let all = connecting + receivingHeader + receivingBody

    private static let connecting: [ServerFault] = [
        ServerFault(
            "reports a refused connection", [.connectionFailed], at: [.connecting], .refusingPort),
        ServerFault(
            "reports plain text from a TLS server", [.tlsFailed], at: [.connecting],
            .tlsServer { $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }),
        ServerFault(
            "reports a TLS server that closes", [.tlsFailed], at: [.connecting],
            .tlsServer { $0.pause(0.05) }),
        ServerFault(
            "reports a TLS server that resets", [.tlsFailed], at: [.connecting],
            .tlsServer { connection in
                connection.pause(0.05)
                connection.reset()
            }),
    ]

    private static let receivingHeader: [ServerFault] = [
        ServerFault(
            "reports an immediate close", [.connectionLost],
            at: [.receivingHeader, .sendingRequest], .server { _ in }),
        // The reset may arrive before the client has established the connection.
        ServerFault(
            "reports an immediate reset", [.connectionLost, .connectionFailed],
            at: [.receivingHeader, .sendingRequest, .connecting], .server { $0.reset() }),
        ServerFault(
            "reports a close after the request", [.connectionLost], at: [.receivingHeader],
            .server { $0.readRequest() }),
        ServerFault(
            "reports a reset after the request", [.connectionLost], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                connection.reset()
            }),
        ServerFault(
            "reports a close in the status line", [.connectionLost], at: [.receivingHeader],
            answer: "HTTP/1.1 20"),
        ServerFault(
            "reports a close in a header field", [.connectionLost], at: [.receivingHeader],
            answer: "\(ok)Content-Ty"),
        ServerFault(
            "reports a close before the end of the header", [.connectionLost],
            at: [.receivingHeader], answer: "\(ok)Content-Length: 4\r\n"),
        ServerFault(
            "reports a close after an interim response", [.connectionLost], at: [.receivingHeader],
            answer: "HTTP/1.1 103 Early Hints\r\nX-Interim: 1\r\n\r\n"),
        ServerFault(
            "reports garbage instead of a header", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "\u{1}\u{2}\u{3} garbage\r\n\r\n"),
        ServerFault(
            "reports HTML without a header", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "<html></html>"),
        ServerFault(
            "reports another protocol", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "SSH-2.0-OpenSSH_9.2\r\n"),
    ]

    private static let receivingBody: [ServerFault] = [
        ServerFault(
            "reports a short body", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Length: 10\r\n\r\nshort"),
        ServerFault(
            "reports a missing body", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Length: 10\r\n\r\n"),
        ServerFault(
            "reports a reset in the body", [.incompleteBody], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 10\r\n\r\nshort")
                connection.pause(0.1)
                connection.reset()
            }),
        ServerFault(
            "reports a missing last chunk", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"),
        ServerFault(
            "reports a short chunk", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\n9\r\nshort"),
        ServerFault(
            "reports a reset in a chunk", [.incompleteBody], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n9\r\nshort")
                connection.pause(0.1)
                connection.reset()
            }),
        ServerFault(
            "reports garbage instead of a chunk", [.malformedResponse, .incompleteBody],
            at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n"),
    ]

    static let slow = stalled.map { $0.withShortTimeouts() } + [tricklingLine]

    private static let stalled: [ServerFault] = [
        ServerFault(
            "times out an unanswered connection", [.timedOut], at: [.connecting], .unansweringPort),
        ServerFault(
            "times out an unanswered TLS handshake", [.timedOut], at: [.connecting],
            .tlsServer { $0.waitUntilClosed() }),
        ServerFault(
            "times out a missing header", [.timedOut], at: [.receivingHeader],
            .server { $0.waitUntilClosed() }),
        ServerFault(
            "times out a stalled header", [.timedOut], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-")
                connection.waitUntilClosed()
            }),
        ServerFault(
            "times out a trickling header", [.timedOut], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                for character in "\(ok)X-Long: \(String(repeating: "x", count: 1000))" {
                    guard connection.send("\(character)"), connection.pause(0.1) else { return }
                }
            }),
        ServerFault(
            "times out a stalled body", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 10\r\n\r\nshort")
                connection.waitUntilClosed()
            }),
        ServerFault(
            "times out a trickling body", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 1000\r\n\r\n")
                while connection.send("x"), connection.pause(0.1) {}
            }),
        ServerFault(
            "times out trickling chunks", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                while connection.send("1\r\nx\r\n"), connection.pause(0.1) {}
            }),
    ]

    /// A part of a line is not progress, although the whole header would arrive within the total
    /// timeout.
    private static let tricklingLine: ServerFault = {
        var fault = ServerFault(
            "times out a trickling header line", [.timedOut], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 0\r\nX-Long: ")
                for _ in 0..<30 {
                    guard connection.send("x"), connection.pause(0.1) else { return }
                }
                connection.send("\r\n\r\n")
                connection.waitUntilClosed()
            })
        fault.limits.idleTimeout = .milliseconds(600)
        return fault
    }()
}
