// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestCurl
import RestTransport
import RestURLSession
import Synchronization
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket, .concurrency), .serialized) struct CancellationTests {
    /// Where in an exchange the task is cancelled.
    enum Point: String, CaseIterable, Sendable {
        case beforeItBegins
        case waitingForTheHeader
        case readingTheBody
        case readerIsSlow
    }

    private static let script: LoopbackSocketServer.Script = { connection in
        guard let request = connection.readRequestText() else { return }
        if request.hasPrefix("GET /silent ") {
            connection.waitUntilClosed()
        } else {
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
            if request.hasPrefix("GET /flood ") {
                let chunk = Array("8000\r\n".utf8) + Array(repeating: 65, count: 0x8000) + [13, 10]
                // Less than the limit of a body, as not every adapter slows the server down.
                for _ in 0..<500 where !connection.send(chunk) { break }
                connection.waitUntilClosed()
            } else {
                connection.waitUntilClosed()
            }
        }
    }

    /// Runs an exchange and cancels its task at a point; returns what it ended with.
    static func cancel(_ client: HTTPClient, at point: Point) async throws -> Result<Int, any Error>
    {
        let path =
            switch point {
            case .beforeItBegins, .waitingForTheHeader: "silent"
            case .readingTheBody: "stall"
            case .readerIsSlow: "flood"
            }
        let box = Reached()
        let task = Task {
            if point == .beforeItBegins {
                while !Task.isCancelled { await Task.yield() }
            } else if point == .waitingForTheHeader {
                box.set()
            }
            let response = try await client.send(try client.request(at: path))
            var count = 0
            var iterator = response.body.makeAsyncIterator()
            while let chunk = try await iterator.next() {
                count += chunk.count
                box.set()
                if point == .readerIsSlow {
                    try await Task.sleep(for: .seconds(30))
                }
            }
            return count
        }
        if point != .beforeItBegins {
            _ = try await eventually { box.isSet }
            try await Task.sleep(for: .milliseconds(50))
        }
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.result
        #expect(ContinuousClock.now - start < .seconds(25))
        return result
    }

    @Test(arguments: Adapter.allCases, Point.allCases)
    func endsAtOnceAndUnwrapped(adapter: Adapter, point: Point) async throws {
        try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL) { client in
                let result = try await Self.cancel(client, at: point)
                #expect(throws: CancellationError.self) { try result.get() }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func failsWhenTheTransportIsShutDown(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run(Self.script) { server in
            let curl = CurlTransport()
            let session = URLSessionTransport()
            let transport: any HTTPTransport = adapter == .curl ? curl : session
            let client = try HTTPClient(baseURL: server.baseURL, transport: transport)
            let waiting = Task { try await client.read("silent") }
            #expect(try await eventually { server.received.contains { !$0.isEmpty } })
            if adapter == .curl { await curl.shutdown() } else { session.shutdown() }
            let error = await transportError { _ = try await waiting.value }
            #expect(error?.code == .closed)
            let later = await transportError { _ = try await client.read("silent") }
            #expect(later?.code == .closed)
            // Once more does no harm.
            if adapter == .curl { await curl.shutdown() } else { session.shutdown() }
        }
    }

    /// In a process of its own, where nothing else opens descriptors or threads.
    @Test func leavesNothingBehind() async throws {
        await #expect(processExitsWith: .success) {
            func round() async throws {
                try await LoopbackSocketServer.run(CancellationTests.script) { server in
                    var limits = TransportLimits.short
                    limits.idleTimeout = .milliseconds(200)
                    let transport = CurlTransport()
                    var client = try HTTPClient(baseURL: server.baseURL, transport: transport)
                    for point in Point.allCases {
                        _ = try await CancellationTests.cancel(client, at: point)
                    }
                    client.limits = limits
                    _ = try? await client.read("stall")
                    _ = try? await client.send(try client.request(at: "flood"))
                    await transport.shutdown()
                    // Without a shutdown, letting go does the same, a little later.
                    let other = try HTTPClient(baseURL: server.baseURL, transport: CurlTransport())
                    _ = try await CancellationTests.cancel(other, at: .readingTheBody)
                }
            }
            func count(_ directory: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? -1
            }
            try await round()
            try await Task.sleep(for: .milliseconds(200))
            let descriptors = count("/proc/self/fd")
            let threads = count("/proc/self/task")
            for _ in 0..<3 { try await round() }
            let isBack = try await eventually {
                count("/proc/self/fd") <= descriptors && count("/proc/self/task") <= threads + 2
            }
            precondition(isBack, "\(count("/proc/self/fd")) descriptors, before \(descriptors)")
        }
    }

    private final class Reached: Sendable {
        private let flag = Atomic(false)

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() {
            flag.store(true, ordering: .relaxed)
        }
    }
}
