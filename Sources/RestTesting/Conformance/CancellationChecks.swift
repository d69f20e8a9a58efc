// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Cancelling a task and shutting a transport down, wherever an exchange is.
    public var cancellations: [Check] {
        CancellationPoint.allCases.map { point in
            Check("ends when its task is cancelled \(point.rawValue)", of: self) { bench in
                try await point.play(bench) { client, _ in
                    let exchange = point.begin(client)
                    await exchange.reach()
                    exchange.task.cancel()
                    do {
                        _ = try await exchange.task.value
                    } catch is CancellationError {
                        return
                    } catch {
                        throw ConformanceFailure("\(error) instead of a CancellationError")
                    }
                    throw ConformanceFailure("the exchange came to its end")
                }
            }
        }
            + CancellationPoint.allCases.filter { $0 != .beforeItBegins }.map { point in
                Check("ends when it is shut down \(point.rawValue)", of: self) { bench in
                    try await Self.shutDown(bench, at: point)
                }
            }
    }

    private static func shutDown(_ bench: TransportBench, at point: CancellationPoint) async throws
    {
        try await point.play(bench) { _, baseURL in
            let machine = try bench.make()
            var client = try HTTPClient(baseURL: baseURL, transport: machine.transport)
            client.limits = TransportBench.patience
            let exchange = point.begin(client)
            await exchange.reach()
            await machine.shutdown()
            exchange.hurry.add(1)
            try await bench.error([.closed]) { _ = try await exchange.task.value }
            try await bench.error([.closed]) { _ = try await client.read("later") }
            // Once more does no harm.
            await machine.shutdown()
        }
    }
}

/// Where in an exchange it is cancelled.
enum CancellationPoint: String, CaseIterable, Sendable {
    case beforeItBegins = "before it begins"
    case connecting = "while it connects"
    case sendingTheBody = "while it sends a body"
    case waitingForTheHeader = "while it waits for a header"
    case readingTheBody = "while it reads a body"
    case readerIsSlow = "while its reader is slow"

    /// An exchange in a task of its own.
    struct Exchange: Sendable {
        let task: Task<Int, any Error>
        let progress: CheckCounter

        /// Counted up when a slow reader is to read on.
        let hurry: CheckCounter

        /// Waits until the exchange is where it is to be cancelled.
        func reach() async {
            while progress.value == 0 { await Task.yield() }
            // The library below may be a step behind what can be seen from here.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private var path: String {
        switch self {
        case .beforeItBegins, .connecting, .waitingForTheHeader: "silent"
        case .sendingTheBody: "deaf"
        case .readingTheBody: "stall"
        case .readerIsSlow: "flood"
        }
    }

    static let script: LoopbackSocketServer.Script = { connection in
        guard let head = connection.readHead() else { return }
        if head.contains(" /deaf ") {
            while connection.pause(0.05) {}
        } else if head.contains(" /silent ") {
            connection.waitUntilClosed()
        } else {
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
            if head.contains(" /flood ") {
                let chunk = Array("8000\r\n".utf8) + Array(repeating: 65, count: 0x8000) + [13, 10]
                // Less than the limit of a body, as not every transport slows the server down.
                for _ in 0..<500 where !connection.send(chunk) { break }
            }
            connection.waitUntilClosed()
        }
    }

    /// Runs the body against the server of this point.
    func play(
        _ bench: TransportBench, body: (HTTPClient, String) async throws -> Void
    ) async throws {
        func run(_ baseURL: String) async throws {
            try await bench.use(baseURL) { try await body($0, baseURL) }
        }
        if self == .connecting {
            try await LoopbackSocketServer.runUnanswering { try await run($0) }
        } else {
            try await LoopbackSocketServer.run(Self.script) { try await run($0.baseURL) }
        }
    }

    /// Starts an exchange.
    func begin(_ client: HTTPClient) -> Exchange {
        let progress = CheckCounter()
        let hurry = CheckCounter()
        let task = Task { [path] in
            if self != .readingTheBody, self != .readerIsSlow { progress.add(1) }
            while self == .beforeItBegins, !Task.isCancelled { await Task.yield() }
            var request = try client.request(at: path)
            if self == .sendingTheBody {
                request.method = .put
                request.body = .bytes(Array(repeating: 65, count: 32 << 20))
            }
            let response = try await client.send(request)
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                progress.add(1)
                while self == .readerIsSlow, hurry.value == 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            return count
        }
        return Exchange(task: task, progress: progress, hurry: hurry)
    }
}
