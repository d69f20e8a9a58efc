// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct FaultTests {
    /// A misbehaviour of a server, and what it must end in.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var codes: [TransportError.Code]
        var stages: [TransportError.Stage]
        var script: LoopbackSocketServer.Script

        init(
            _ name: String, _ codes: [TransportError.Code], at stages: [TransportError.Stage],
            _ script: @escaping LoopbackSocketServer.Script
        ) {
            testDescription = name
            self.codes = codes
            self.stages = stages
            self.script = script
        }

        /// A fault that is a fixed answer, after which the connection closes.
        init(
            _ name: String, _ codes: [TransportError.Code], at stages: [TransportError.Stage],
            answer: String
        ) {
            self.init(name, codes, at: stages) { connection in
                connection.readRequest()
                connection.send(answer)
            }
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    static let incomplete: [Fault] = [
        Fault("closes at once", [.connectionLost], at: [.receivingHeader, .sendingRequest]) { _ in
        },
        Fault("closes after the request", [.connectionLost], at: [.receivingHeader]) {
            $0.readRequest()
        },
        Fault("resets after the request", [.connectionLost], at: [.receivingHeader]) {
            $0.readRequest()
            $0.reset()
        },
        Fault(
            "short body", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Length: 10\r\n\r\nshort"),
        Fault(
            "no body", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Length: 10\r\n\r\n"),
        Fault("resets in the body", [.incompleteBody], at: [.receivingBody]) {
            $0.readRequest()
            $0.send("\(ok)Content-Length: 10\r\n\r\nshort")
            $0.pause(0.1)
            $0.reset()
        },
        Fault(
            "no last chunk", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"),
        Fault(
            "cut in a chunk", [.incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\n9\r\nshort"),
    ]

    static let malformed: [Fault] = [
        Fault(
            "garbage", [.malformedResponse, .connectionLost], at: [.receivingHeader],
            answer: "\u{1}\u{2}\u{3} garbage\r\n\r\n"),
        Fault(
            "HTTP/0.9", [.malformedResponse, .connectionLost], at: [.receivingHeader],
            answer: "<html></html>"),
        Fault(
            "negative length", [.malformedResponse, .connectionLost],
            at: [.receivingHeader], answer: "\(ok)Content-Length: -1\r\n\r\nbody"),
        Fault(
            "bad chunk size", [.malformedResponse, .incompleteBody], at: [.receivingBody],
            answer: "\(ok)Transfer-Encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n"),
        Fault(
            "broken gzip", [.malformedResponse, .incompleteBody], at: [.receivingBody],
            answer: "\(ok)Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbody"),
    ]

    static let silent: [Fault] = [
        Fault("says nothing", [.timedOut], at: [.receivingHeader]) { $0.waitUntilClosed() },
        Fault("stops in the header", [.timedOut], at: [.receivingHeader]) {
            $0.readRequest()
            $0.send("\(ok)Content-")
            $0.waitUntilClosed()
        },
        Fault("stops in the body", [.timedOut], at: [.receivingBody]) {
            $0.readRequest()
            $0.send("\(ok)Content-Length: 10\r\n\r\nshort")
            $0.waitUntilClosed()
        },
        Fault("drips the header", [.timedOut], at: [.receivingHeader]) { connection in
            connection.readRequest()
            for character in "\(ok)X-Long: \(String(repeating: "x", count: 1000))" {
                guard connection.send("\(character)"), connection.pause(0.1) else { return }
            }
        },
        Fault("drips the body", [.timedOut], at: [.receivingBody]) { connection in
            connection.readRequest()
            connection.send("\(ok)Content-Length: 1000\r\n\r\n")
            while connection.send("x"), connection.pause(0.1) {}
        },
    ]

    // Foundation on Linux ends the process when a connection closes here.
    static let cutInHeader: [Fault] = [
        Fault("closes in the status line", [.connectionLost], at: [.receivingHeader]) {
            $0.readRequest()
            $0.send("HTTP/1.1 20")
        },
        Fault(
            "closes in a field", [.connectionLost], at: [.receivingHeader],
            answer: "\(ok)Content-Ty"),
        Fault(
            "closes before the empty line", [.connectionLost], at: [.receivingHeader],
            answer: "\(ok)Content-Length: 4\r\n"),
    ]

    private func check(
        _ fault: Fault, over adapter: Adapter, limits: TransportLimits = .short
    ) async throws {
        try await LoopbackSocketServer.run(fault.script) { server in
            try await adapter.run(server.baseURL, limits: limits) { client in
                let error = await transportError {
                    _ = try await client.read("path?token=secret")
                }
                // Foundation on Linux has one code for no answer and for a wrong one.
                let codes = fault.codes + (adapter == .curl ? [] : [.malformedResponse])
                #expect(error.map { codes.contains($0.code) } == true, "\(error as Any)")
                #expect(error.map { fault.stages.contains($0.stage) } == true, "\(error as Any)")
                #expect(error?.method == "GET")
                #expect(error?.url == server.baseURL + "path?…")
                #expect(error?.description.contains("secret") == false)
            }
        }
    }

    @Test(arguments: Adapter.allCases, incomplete)
    func reportsAnIncompleteResponse(adapter: Adapter, fault: Fault) async throws {
        try await check(fault, over: adapter)
    }

    @Test(arguments: cutInHeader)
    func reportsACutHeader(fault: Fault) async throws {
        try await check(fault, over: .curl)
    }

    @Test(arguments: Adapter.allCases, malformed)
    func reportsWhatIsNotAResponse(adapter: Adapter, fault: Fault) async throws {
        try await check(fault, over: adapter)
    }

    @Test(.threat("T13"), arguments: Adapter.allCases, silent)
    func endsSilenceAndDripsInTime(adapter: Adapter, fault: Fault) async throws {
        var limits = TransportLimits.short
        limits.idleTimeout = .milliseconds(600)
        limits.totalTimeout = .milliseconds(1500)
        let start = ContinuousClock.now
        try await check(fault, over: adapter, limits: limits)
        #expect(ContinuousClock.now - start < .seconds(45))
        #expect(TransportLimits.default.totalTimeout == .seconds(60))
    }

    @Test(arguments: Adapter.allCases)
    func reportsAHostThatDoesNotAccept(adapter: Adapter) async throws {
        let closed = try await LoopbackSocketServer.run { _ in
        } body: {
            $0.baseURL
        }
        try await adapter.run(closed) { client in
            let error = await transportError { _ = try await client.read("a") }
            #expect(error?.code == .connectionFailed)
            #expect(error?.stage == .connecting)
        }
    }

    @Test func endsAConnectionThatIsNotMadeInTime() async throws {
        // A listener whose queue is full: the kernel does not answer further connections.
        var limits = TransportLimits.short
        limits.connectTimeout = .milliseconds(500)
        try await Adapter.curl.run("http://192.0.2.1/", limits: limits) { client in
            let error = await transportError { _ = try await client.read("a") }
            #expect([.timedOut, .connectionFailed].contains(error?.code))
            #expect(error?.stage == .connecting)
        }
    }

    @Test(arguments: Adapter.allCases)
    func reportsATLSServerThatIsNone(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        } body: { server in
            try await adapter.run("https://127.0.0.1:\(server.port)/") { client in
                let error = await transportError { _ = try await client.read("a") }
                let codes: [TransportError.Code] = [.tlsFailed, .connectionLost, .connectionFailed]
                #expect(error.map { codes.contains($0.code) } == true, "\(error as Any)")
                #expect(adapter != .curl || error?.code == .tlsFailed)
            }
        }
    }

    /// A response cut at every byte never yields a body.
    @Test(arguments: Adapter.allCases)
    func neverTakesACutResponseForAWholeOne(adapter: Adapter) async throws {
        let chunked =
            "\(Self.ok)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
        let sized = "\(Self.ok)Content-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello world"
        for whole in [chunked, sized] {
            try await LoopbackSocketServer.run { connection in
                guard let request = connection.readRequestText() else { return }
                let count = Int(request.dropFirst(5).prefix { $0.isNumber }) ?? 0
                connection.send(String(whole.prefix(count)))
            } body: { server in
                try await adapter.run(server.baseURL) { client in
                    let count = whole.count
                    let body = try await client.read("\(count)")
                    #expect(body == Array("hello world".utf8))
                    // The line end after the last chunk may be missing without harm to the body.
                    let end = whole == chunked ? count - 4 : count
                    let head = whole.firstRange(of: "\r\n\r\n")?.upperBound ?? whole.endIndex
                    let start =
                        adapter == .curl
                        ? 0 : whole.distance(from: whole.startIndex, to: head)
                    for cut in start..<end {
                        let error = await transportError { _ = try await client.read("\(cut)") }
                        let codes: [TransportError.Code] = [
                            .incompleteBody, .connectionLost, .malformedResponse,
                        ]
                        #expect(error.map { codes.contains($0.code) } == true, "cut at \(cut)")
                    }
                }
            }
        }
    }
}
