// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Checks of cancellation and shutdown at each point of an exchange.
    public var cancellations: [Check] {
        CancellationPoint.allCases.map { point in
            Check("ends on cancellation \(point.rawValue)", of: self) { harness in
                try await point.run(harness) { client, _ in
                    let exchange = point.start(client)
                    await exchange.waitUntilReached()
                    exchange.task.cancel()
                    do {
                        _ = try await exchange.task.value
                    } catch is CancellationError {
                        return
                    } catch {
                        throw ConformanceFailure("\(error) instead of a CancellationError")
                    }
                    throw ConformanceFailure("the exchange succeeded")
                }
            }
        }
            + CancellationPoint.allCases.filter { $0 != .beforeStart }.map { point in
                Check("ends on shutdown \(point.rawValue)", of: self) { harness in
                    try await Self.shutDown(harness, at: point)
                }
            }
    }

    private static func shutDown(_ harness: ConformanceHarness, at point: CancellationPoint)
        async throws
    {
        try await point.run(harness) { _, baseURL in
            let instance = try harness.make()
            var client = try HTTPClient(baseURL: baseURL, transport: instance.transport)
            client.limits = ConformanceHarness.defaultLimits
            let exchange = point.start(client)
            await exchange.waitUntilReached()
            await instance.shutdown()
            exchange.readerResume.add(1)
            try await harness.error([.closed]) { _ = try await exchange.task.value }
            try await harness.error([.closed]) { _ = try await client.read("later") }
            // A second shutdown has no effect.
            await instance.shutdown()
        }
    }
}

/// The point of an exchange at which it is cancelled.
enum CancellationPoint: String, CaseIterable, Sendable {
    case beforeStart = "before it starts"
    case connecting = "while connecting"
    case sendingBody = "while sending a body"
    case waitingForHeader = "while waiting for a header"
    case readingBody = "while reading a body"
    case readerIsSlow = "while its reader is slow"

    /// An exchange in its own task.
    struct Exchange: Sendable {
        let task: Task<Int, any Error>
        let progress: AtomicCounter

        /// A counter that makes a slow reader read on when it is not zero.
        let readerResume: AtomicCounter

        /// Waits until the exchange has reached the point.
        func waitUntilReached() async {
            while progress.value == 0 { await Task.yield() }
            // The client library may be a step behind the observable state.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private var path: String {
        switch self {
        case .beforeStart, .connecting, .waitingForHeader: "silent"
        case .sendingBody: "unread"
        case .readingBody: "stall"
        case .readerIsSlow: "flood"
        }
    }

    static let script: LoopbackSocketServer.Script = { connection in
        guard let head = connection.readHead() else { return }
        if head.contains(" /unread ") {
            connection.waitUntilServerStops()
        } else if head.contains(" /silent ") {
            connection.waitUntilClosed()
        } else {
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
            if head.contains(" /flood ") {
                let chunk = Array("8000\r\n".utf8) + Array(repeating: 65, count: 0x8000) + [13, 10]
                // Below the body limit, as not every transport applies back-pressure.
                for _ in 0..<500 where !connection.send(chunk) { break }
            }
            connection.waitUntilClosed()
        }
    }

    /// Calls a closure with a client and the base URL of the server for this point.
    func run(
        _ harness: ConformanceHarness, body: (HTTPClient, String) async throws -> Void
    ) async throws {
        func withClient(_ baseURL: String) async throws {
            try await harness.withClient(baseURL) { try await body($0, baseURL) }
        }
        if self == .connecting {
            try await LoopbackSocketServer.runUnanswering { try await withClient($0) }
        } else {
            try await LoopbackSocketServer.run(Self.script) { try await withClient($0.baseURL) }
        }
    }

    /// Starts an exchange and returns it.
    func start(_ client: HTTPClient) -> Exchange {
        let progress = AtomicCounter()
        let readerResume = AtomicCounter()
        let task = Task { [path] in
            if self != .readingBody, self != .readerIsSlow { progress.add(1) }
            while self == .beforeStart, !Task.isCancelled { await Task.yield() }
            var request = try client.request(at: path)
            if self == .sendingBody {
                request.method = .put
                request.body = .bytes(Array(repeating: 65, count: 32 << 20))
            }
            let response = try await client.send(request)
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                progress.add(1)
                while self == .readerIsSlow, readerResume.value == 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            return count
        }
        return Exchange(task: task, progress: progress, readerResume: readerResume)
    }
}
