// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import Synchronization

extension BenchmarkMetric {
    /// Requests answered in a second of wall time, client and server sharing the machine.
    static let requestRate = BenchmarkMetric.custom("Requests per second", polarity: .prefersLarger)
    /// The time within which 99 of 100 requests are answered.
    static let slowestTime = BenchmarkMetric.custom("99 of 100 within (ns)")
    /// Processor time of the client alone, all threads, for one request.
    static let requestTime = BenchmarkMetric.custom("Processor time per request (ns)")
}

/// GET requests to a server on the loopback interface, a number of them in flight all the time.
///
/// A class because it stands for one server and one client, started before the measurement and
/// stopped after it.
final class GetLoad: Sendable {
    /// What is asked for, and by how many at once.
    struct Shape: Sendable {
        let name: String
        let byteCount: Int
        let inFlight: Int
        let requestCount: Int

        /// A body like one article of an API, and one like a long list of them.
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

    /// What one measurement brought.
    struct Figures: Sendable {
        let requestsPerSecond: Double
        /// Nanoseconds.
        let slowestTime: UInt64

        init(requestsPerSecond: Double, slowestTime: UInt64) {
            self.requestsPerSecond = requestsPerSecond
            self.slowestTime = slowestTime
        }

        /// The figures of requests that took so many nanoseconds each.
        init(_ times: [UInt64], elapsed: Duration) {
            requestsPerSecond = Double(times.count) / (elapsed / .seconds(1))
            slowestTime = times.sorted()[(times.count * 99 - 1) / 100]
        }
    }

    /// A client, open for the server's address.
    struct Client: Sendable {
        /// Makes the requests of one measurement.
        let run: @Sendable () async throws -> Figures
        let close: @Sendable () async -> Void
    }

    private struct Parts {
        let server: NginxServer
        let client: Client
    }

    /// The server did not send the document.
    struct WrongAnswer: Error {}

    private let shape: Shape
    private let makeClient: @Sendable (_ address: String, Shape) throws -> Client
    private let parts = Mutex<Parts?>(nil)

    /// Registers the load of one client, in one shape, under its name.
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
            serving: Data(repeating: UInt8(ascii: "a"), count: shape.byteCount))
        let client = try makeClient(server.address, shape)
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
    /// A client that makes one request at a time in as many tasks as there are to be in flight.
    ///
    /// - Parameters:
    ///   - shape: What is asked for.
    ///   - get: Makes one request and returns how many bytes came.
    ///   - close: Lets go of the connections.
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
