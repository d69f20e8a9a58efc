// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Exchanges over HTTP/2 that a server ends early, refuses or does not answer.
@Suite(.tags(.socket), .serialized) struct HTTP2FaultTests {
    private static let authority = Result { try TestAuthority() }

    /// The adapters that use HTTP/2 in this process and can be configured with authorities.
    private static let adapters = Adapter.configurable.filter {
        $0 != .curl || CurlLibrary.current.usesHTTP2
    }

    /// The end of a response whose body begins with `hello`.
    struct Ending: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var length: Int?
        var frames: [HTTP2Frame] = []
        /// A Boolean value that indicates whether libcurl cannot tell the end from a complete one.
        var isSilentOverCurl = false

        static let all = [
            Ending(testDescription: "closes the connection"),
            Ending(testDescription: "resets with an error", frames: [.reset(code: 2)]),
            Ending(testDescription: "cancels", frames: [.reset(code: 8)]),
            Ending(
                testDescription: "resets without an error", frames: [.reset(code: 0)],
                isSilentOverCurl: true),
            Ending(
                testDescription: "resets a known length without an error", length: 10,
                frames: [.reset(code: 0)]),
            Ending(testDescription: "breaks the connection", frames: [.misplacedData]),
            Ending(testDescription: "goes away and closes", frames: [.goAway(lastStream: 1)]),
        ]
    }

    @Test(arguments: adapters, Ending.all)
    func neverTakesPartOfBodyForWhole(adapter: Adapter, ending: Ending) async throws {
        if adapter == .curl, ending.isSilentOverCurl { return }
        try await run(adapter) { connection, _, stream in
            connection.send(
                [.header(status: 200, length: ending.length), .data("hello")], on: stream)
            connection.pause(0.05)
            connection.send(ending.frames, on: stream)
            connection.pause(0.05)
            return false
        } body: { client, _ in
            let error = await transportError { _ = try await client.read("a") }
            #expect(error?.code == .incompleteBody)
            #expect(error?.stage == .receivingBody)
        }
    }

    @Test(arguments: adapters)
    func deliversResponseBeforeEndOfRequest(adapter: Adapter) async throws {
        try await run(adapter) { connection, _, stream in
            connection.send(
                [.header(status: 413, endsStream: true), .reset(code: 0)], on: stream)
            return true
        } body: { client, _ in
            let request = try client.request(
                .post, at: "a", body: .bytes(Array(repeating: 0, count: 4 << 20)))
            for _ in 0..<3 {
                #expect(try await client.send(request).status == .contentTooLarge)
            }
        }
    }

    /// libcurl repeats the request; over AsyncHTTPClient the error is a reason to.
    @Test(arguments: adapters)
    func repeatsWhatServerHasNotProcessed(adapter: Adapter) async throws {
        try await run(adapter) { connection, number, stream in
            guard number == 1, stream > 1 else {
                connection.send([.header(status: 200), .data("ok", endsStream: true)], on: stream)
                return true
            }
            connection.send([.goAway(lastStream: 1)], on: stream)
            connection.pause(0.2)
            return false
        } body: { client, requestCount in
            let first = try await client.read("a")
            #expect(first == Array("ok".utf8))
            if adapter == .curl {
                let second = try await client.read("b")
                #expect(second == Array("ok".utf8))
                #expect(requestCount() == 3)
            } else {
                let error = await transportError { _ = try await client.read("b") }
                #expect(error.map { RetryPolicy.isTransient($0) } == true)
                #expect(requestCount() == 2)
            }
        }
    }

    @Test(arguments: adapters, [HTTPRequest.Method.get, .post])
    func repeatsRefusedStreamOnce(adapter: Adapter, method: HTTPRequest.Method) async throws {
        try await run(adapter) { connection, _, stream in
            connection.send([.reset(code: 7)], on: stream)
            return true
        } body: { client, requestCount in
            let request = try client.request(method, at: "a")
            let error = await transportError { _ = try await client.send(request) }
            #expect(error?.code == .connectionLost)
            #expect(requestCount() == (adapter == .curl && method == .get ? 2 : 1))
        }
    }

    // Requests are sent all the time around the time limit. One that was sent before the error of the limit
    // can be lost with the silent connection; one that was sent after it has another connection.
    @Test(arguments: adapters)
    func leavesConnectionThatIsSilent(adapter: Adapter) async throws {
        try await run(adapter) { connection, number, stream in
            guard number == 1, stream > 1 else {
                connection.send([.header(status: 200), .data("ok", endsStream: true)], on: stream)
                return true
            }
            connection.waitUntilServerStops()
            return false
        } body: { client, _ in
            #expect(try await client.read("a") == Array("ok".utf8))
            var impatient = try client.request(at: "b")
            var limits = TransportLimits.short
            limits.idleTimeout = .milliseconds(800)
            impatient.limits = limits
            let (request, patient) = (impatient, try client.request(at: "c"))
            let log = ArrivalLog()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == .timedOut)
                    log.errors.add(1, ordering: .sequentiallyConsistent)
                    try await Self.expectMany(patient, from: client)
                }
                for _ in 0..<150 {
                    try await Task.sleep(for: .milliseconds(10))
                    group.addTask {
                        let isAfter = log.errors.load(ordering: .sequentiallyConsistent) > 0
                        do {
                            _ = try await client.send(isAfter ? patient : request).collect()
                        } catch let error as TransportError where !isAfter {
                            #expect(error.code == .timedOut)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func expectMany(
        _ request: TransportRequest, from client: HTTPClient
    ) async throws {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 {
                group.addTask { try await client.send(request).collect() }
            }
            for try await body in group { #expect(body == Array("ok".utf8)) }
        }
    }

    // libcurl leaves a connection after a time limit only.
    @Test(arguments: adapters.filter { $0 != .curl && $0 != .urlSession })
    func leavesSilentConnectionAfterCancellation(adapter: Adapter) async throws {
        let log = ArrivalLog()
        try await run(adapter) { connection, number, stream in
            guard number == 1, stream > 1 else {
                connection.send([.header(status: 200), .data("ok", endsStream: true)], on: stream)
                return true
            }
            connection.pause(0.7)
            log.errors.add(1, ordering: .relaxed)
            connection.waitUntilServerStops()
            return false
        } body: { client, _ in
            #expect(try await client.read("a") == Array("ok".utf8))
            let request = try client.request(at: "b")
            let reading = Task { _ = try await client.send(request).collect() }
            while log.errors.load(ordering: .relaxed) == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            reading.cancel()
            let result = await reading.result
            #expect(throws: CancellationError.self) { try result.get() }
            try await Self.expectMany(request, from: client)
        }
    }

    /// A request that was not sent is sent over another connection, and none reports a shutdown.
    @Test(arguments: adapters)
    func survivesConnectionsThatGoAway(adapter: Adapter) async throws {
        try await run(adapter) { connection, _, stream in
            // The last stream that a server processes never increases (RFC 9113 §6.8).
            guard stream == 1 else { return true }
            connection.send(
                [
                    .header(status: 200), .data("ok", endsStream: true), .goAway(lastStream: 1),
                ], on: stream)
            return true
        } body: { client, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<20 {
                            do {
                                let body = try await client.read("a")
                                #expect(body == Array("ok".utf8))
                            } catch let error as TransportError {
                                #expect(error.code == .connectionLost, "\(error)")
                                #expect(RetryPolicy.isTransient(error))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// HTTP/2 libraries limit the header of a request, so a long one is sent over HTTP/1.1.
    @Test func sendsLongHeader() async throws {
        let authority = try Self.authority.get()
        let value = String(repeating: "v", count: 40_000)
        try await LoopbackServer.run { request in
            LoopbackResponse(body: Array("\(request.headers["x-long"]?.count ?? 0)".utf8))
        } body: { server in
            try await TLSRelay.run(to: server.port, authority, protocols: ["h2", "http/1.1"]) {
                relay in
                try await Adapter.curl.run(relay.baseURL, tls: Self.tls(authority)) { client in
                    var request = try client.request(at: "a")
                    request.headerFields[try #require(HTTPField.Name("X-Long"))] = value
                    let body = try await client.send(request).collect()
                    #expect(body == Array("40000".utf8))
                }
            }
        }
    }

    // MARK: Servers

    private static func tls(_ authority: TestAuthority) -> TLSConfiguration {
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        return tls
    }

    /// Runs a server over HTTP/2 and a client.
    ///
    /// - Parameters:
    ///   - adapter: The adapter of the client.
    ///   - respond: A closure that responds to a request, with the number of its connection, from 1 on,
    ///     and its stream, and returns whether to read another request of the connection.
    ///   - body: A closure with the client and a function that returns the number of requests so far.
    /// - Throws: An error of `body`, or of the start of the server.
    private func run(
        _ adapter: Adapter,
        _ respond: @escaping @Sendable (LoopbackConnection, _ number: Int, _ stream: Int) -> Bool,
        body: (HTTPClient, _ requestCount: @escaping @Sendable () -> Int) async throws -> Void
    ) async throws {
        let authority = try Self.authority.get()
        let log = ArrivalLog()
        try await LoopbackSocketServer.run { connection in
            guard connection.acceptHTTP2() else { return }
            let number = log.connections.add(1, ordering: .relaxed).newValue
            while let stream = connection.readHTTP2Request() {
                log.requests.add(1, ordering: .relaxed)
                guard respond(connection, number, stream) else { return }
            }
        } body: { server in
            try await TLSRelay.run(to: server.port, authority) { relay in
                try await adapter.run(relay.baseURL, tls: Self.tls(authority)) { client in
                    try await body(client) { log.requests.load(ordering: .relaxed) }
                }
            }
        }
    }
}

/// The numbers of connections and requests that a server has received, and of errors.
private final class ArrivalLog: Sendable {
    let connections = Atomic(0)
    let requests = Atomic(0)
    let errors = Atomic(0)
}
