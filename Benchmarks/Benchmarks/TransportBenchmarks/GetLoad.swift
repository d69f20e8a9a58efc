// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import Synchronization

extension BenchmarkMetric {
    /// Completed requests per second of wall time; client and server share the machine.
    static let requestRate = BenchmarkMetric.custom("Requests per second", polarity: .prefersLarger)
    /// The 99th percentile of the response time.
    static let slowestTime = BenchmarkMetric.custom("99 of 100 within (ns)")
    /// The processor time of the client per request, over all threads.
    static let requestTime = BenchmarkMetric.custom("Processor time per request (ns)")
}

/// A load of GET requests over the loopback interface with a constant number in flight.
///
/// A class, as it owns one server and one client, which start before the measurement and stop after
/// it.
final class GetLoad: Sendable {
    /// The document and the number of requests in flight.
    struct Shape: Sendable {
        let name: String
        let byteCount: Int
        let inFlight: Int
        let requestCount: Int

        /// Bodies of the size of one article and of a long list.
        static let all: [Shape] = [1, 16, 64].flatMap { inFlight in
            [
                Shape(
                    name: "0.9 kB, \(inFlight) in flight", byteCount: 900, inFlight: inFlight,
                    requestCount: max(256, inFlight * 32)),
                Shape(
                    name: "1 MB, \(inFlight) in flight", byteCount: 1 << 20, inFlight: inFlight,
                    requestCount: max(16, inFlight * 2)),
            ]
        }
    }

    /// The result of one measurement.
    struct Figures: Sendable {
        let requestsPerSecond: Double
        /// The duration in nanoseconds.
        let slowestTime: UInt64

        init(requestsPerSecond: Double, slowestTime: UInt64) {
            self.requestsPerSecond = requestsPerSecond
            self.slowestTime = slowestTime
        }

        /// Creates a result from the durations of the requests, in nanoseconds.
        init(_ times: [UInt64], elapsed: Duration) {
            requestsPerSecond = Double(times.count) / (elapsed / .seconds(1))
            slowestTime = times.sorted()[(times.count * 99 - 1) / 100]
        }
    }

    /// A client that is connected to the server.
    struct Client: Sendable {
        /// Sends the requests of one measurement.
        let run: @Sendable () async throws -> Figures
        let close: @Sendable () async -> Void
    }

    private struct Parts {
        let server: NginxServer
        let client: Client
    }

    /// An error for a response that is not the document.
    struct WrongAnswer: Error {}

    private let shape: Shape
    private let makeClient: @Sendable (_ address: String, Shape) throws -> Client
    private let parts = Mutex<Parts?>(nil)

    /// Registers the load of one client in one shape.
    @discardableResult
    init(
        _ name: String, _ shape: Shape, warmupCount: Int = 3,
        client makeClient: @escaping @Sendable (_ address: String, Shape) throws -> Client
    ) {
        self.shape = shape
        self.makeClient = makeClient
        let configuration = Benchmark.Configuration(
            metrics: [.requestRate, .slowestTime, .requestTime, .wallClock, .throughput],
            warmupIterations: warmupCount, maxDuration: .milliseconds(1000), maxIterations: 1000)
        Benchmark("\(shape.name): \(name)", configuration: configuration) { benchmark in
            try await self.run(benchmark)
        } setup: {
            try await self.start()
        } teardown: {
            await self.stop()
        }
    }

    private func start() async throws {
        let server = try await NginxServer(
            serving: ["article.json": LoadedArticle.document(byteCount: shape.byteCount)])
        let client = try makeClient(server.address + "article.json", shape)
        parts.withLock { $0 = Parts(server: server, client: client) }
    }

    private func stop() async {
        let stopped = parts.withLock { parts in
            defer { parts = nil }
            return parts
        }
        await stopped?.client.close()
        stopped?.server.stop()
    }

    private func run(_ benchmark: Benchmark) async throws {
        guard let parts = parts.withLock({ $0 }) else { throw WrongAnswer() }
        let processorStart = ProcessorTime.ofProcess
        let figures = try await parts.client.run()
        let processorTime = ProcessorTime.ofProcess - processorStart
        benchmark.measurement(.requestRate, Int(figures.requestsPerSecond))
        benchmark.measurement(.slowestTime, Int(figures.slowestTime))
        benchmark.measurement(.requestTime, processorTime / shape.requestCount)
    }
}

extension GetLoad.Client {
    /// Creates a client that runs a task for each request in flight.
    ///
    /// - Parameters:
    ///   - shape: The document and the number of requests in flight.
    ///   - get: Sends one request and returns the number of bytes received.
    ///   - close: Closes the connections.
    init(
        _ shape: GetLoad.Shape, get: @escaping @Sendable () async throws -> Int,
        close: @escaping @Sendable () async -> Void
    ) {
        self.close = close
        run = {
            let start = ContinuousClock.now
            let times = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for _ in 0..<shape.inFlight {
                    group.addTask {
                        try await (0..<(shape.requestCount / shape.inFlight)).asyncMap {
                            let start = ContinuousClock.now
                            guard try await get() == shape.byteCount else {
                                throw GetLoad.WrongAnswer()
                            }
                            return UInt64((ContinuousClock.now - start) / .nanoseconds(1))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            return GetLoad.Figures(times, elapsed: .now - start)
        }
    }
}

extension Range<Int> {
    fileprivate func asyncMap(_ time: () async throws -> UInt64) async rethrows -> [UInt64] {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in self {
            times.append(try await time())
        }
        return times
    }
}
