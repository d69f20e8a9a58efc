// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// What goes wrong, at which stage, and how that has to end: each fault at each stage.
    public var faults: [Check] {
        ServerFault.all.map { fault in
            Check(fault.name, of: self) { try await fault.check($0) }
        }
    }

    /// Silence and drips, which only time limits end.
    public var times: [Check] {
        ServerFault.slow.map { fault in
            Check(fault.name, of: self) { try await fault.check($0) }
        }
    }
}

/// A misbehaviour of a server, and what it must end in.
struct ServerFault: Sendable {
    /// Where the client goes.
    enum Place: Sendable {
        case server(LoopbackSocketServer.Script)
        case secureServer(LoopbackSocketServer.Script)
        case closedPort
        case fullPort
    }

    let name: String
    let codes: [TransportError.Code]
    let stages: [TransportError.Stage]
    let place: Place
    var limits = TransportBench.patience

    init(
        _ name: String, _ codes: [TransportError.Code], at stages: [TransportError.Stage],
        _ place: Place
    ) {
        self.name = name
        self.codes = codes
        self.stages = stages
        self.place = place
    }

    /// A fault that is a fixed answer, after which the connection closes.
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

    /// A fault that only a time limit ends.
    private func inTime() -> ServerFault {
        var fault = self
        fault.limits.connectTimeout = .milliseconds(600)
        fault.limits.idleTimeout = .milliseconds(600)
        fault.limits.totalTimeout = .milliseconds(1500)
        return fault
    }

    /// Plays the fault twice over one transport.
    func check(_ bench: TransportBench) async throws {
        switch place {
        case .server(let script):
            try await bench.play(script, limits: limits) { client, _ in
                try await expect(bench, client)
            }
        case .secureServer(let script):
            try await LoopbackSocketServer.run(script) { server in
                let address = "https://127.0.0.1:\(server.port)/"
                try await bench.use(address, limits: limits) { try await expect(bench, $0) }
            }
        case .closedPort:
            try await LoopbackSocketServer.runRefusing { address in
                try await bench.use(address, limits: limits) { try await expect(bench, $0) }
            }
        case .fullPort:
            try await LoopbackSocketServer.runUnanswering { address in
                try await bench.use(address, limits: limits) { try await expect(bench, $0) }
            }
        }
    }

    private func expect(_ bench: TransportBench, _ client: HTTPClient) async throws {
        for _ in 0..<2 {
            let error = try await bench.error(codes, at: stages) {
                _ = try await client.read("path?token=canary")
            }
            try require(error.method, is: "GET", "method of the error")
            try require(error.url?.hasSuffix("/path?…") == true, "address of \(error)")
            try require(!error.description.contains("canary"), "the query is in the error")
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    // MARK: The table

    static let all = connecting + receivingHeader + receivingBody

    private static let connecting: [ServerFault] = [
        ServerFault(
            "reports a port that refuses", [.connectionFailed], at: [.connecting], .closedPort),
        ServerFault(
            "reports a secure server that speaks plainly", [.tlsFailed], at: [.connecting],
            .secureServer { $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }),
        ServerFault(
            "reports a secure server that closes", [.tlsFailed], at: [.connecting],
            .secureServer { $0.pause(0.05) }),
        ServerFault(
            "reports a secure server that resets", [.tlsFailed], at: [.connecting],
            .secureServer { connection in
                connection.pause(0.05)
                connection.reset()
            }),
    ]

    private static let receivingHeader: [ServerFault] = [
        ServerFault(
            "reports a server that closes at once", [.connectionLost],
            at: [.receivingHeader, .sendingRequest], .server { _ in }),
        // The reset may be there before the client knows of the connection.
        ServerFault(
            "reports a server that resets at once", [.connectionLost, .connectionFailed],
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
            "reports a page without a header", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "<html></html>"),
        ServerFault(
            "reports another protocol", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "SSH-2.0-OpenSSH_9.2\r\n"),
    ]

    private static let receivingBody: [ServerFault] = [
        ServerFault(
            "reports a body that is short", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Length: 10\r\n\r\nshort"),
        ServerFault(
            "reports a body that is missing", [.incompleteBody], at: [.receivingBody],
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
            "reports a last chunk that is missing", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"),
        ServerFault(
            "reports a chunk that is short", [.incompleteBody], at: [.receivingBody],
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

    static let slow: [ServerFault] = [
        ServerFault(
            "ends a connection that is not answered", [.timedOut], at: [.connecting], .fullPort),
        ServerFault(
            "ends a secure connection that is not answered", [.timedOut], at: [.connecting],
            .secureServer { $0.waitUntilClosed() }),
        ServerFault(
            "ends a wait for a header", [.timedOut], at: [.receivingHeader],
            .server { $0.waitUntilClosed() }),
        ServerFault(
            "ends a wait within a header", [.timedOut], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-")
                connection.waitUntilClosed()
            }),
        ServerFault(
            "ends a header that drips", [.timedOut], at: [.receivingHeader],
            .server { connection in
                connection.readRequest()
                for character in "\(ok)X-Long: \(String(repeating: "x", count: 1000))" {
                    guard connection.send("\(character)"), connection.pause(0.1) else { return }
                }
            }),
        ServerFault(
            "ends a wait within a body", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 10\r\n\r\nshort")
                connection.waitUntilClosed()
            }),
        ServerFault(
            "ends a body that drips", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Content-Length: 1000\r\n\r\n")
                while connection.send("x"), connection.pause(0.1) {}
            }),
        ServerFault(
            "ends chunks that drip", [.timedOut], at: [.receivingBody],
            .server { connection in
                connection.readRequest()
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                while connection.send("1\r\nx\r\n"), connection.pause(0.1) {}
            }),
    ].map { $0.inTime() }
}
