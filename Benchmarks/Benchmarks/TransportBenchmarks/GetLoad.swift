// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import Synchronization

extension BenchmarkMetric {
    /// Requests answered in a second of wall time, client and server sharing the machine.
    static let requestRate = BenchmarkMetric.custom("Requests per second", polarity: .prefersLarger)
    /// Processor time of the client alone, all threads, for one request.
    static let requestTime = BenchmarkMetric.custom("Processor time per request (ns)")
}

/// GET requests over 16 connections: as many tasks, each sending its next request when the last is
/// answered.
///
/// A class because it stands for one server and one client, started before the measurement and
/// stopped after it.
final class GetLoad: Sendable {
    /// A client: gets an address and returns how many bytes came; then how to close it.
    struct Client: Sendable {
        let get: @Sendable (_ address: String) async throws -> Int
        let close: @Sendable () async -> Void
    }

    private struct Parts {
        let server: NginxServer
        let client: Client
    }

    /// The server did not send the document.
    struct WrongAnswer: Error {}

    static let connectionCount = 16
    private static let requestsPerTask = 32
    private let makeClient: @Sendable () throws -> Client
    private let parts = Mutex<Parts?>(nil)

    /// Registers the load of one client under its name.
    @discardableResult
    init(_ name: String, client makeClient: @escaping @Sendable () throws -> Client) {
        self.makeClient = makeClient
        let configuration = Benchmark.Configuration(
            metrics: [.requestRate, .requestTime, .wallClock, .throughput], warmupIterations: 3,
            maxDuration: .milliseconds(1500), maxIterations: 1000)
        Benchmark(name, configuration: configuration) { benchmark in
            try await self.run(benchmark)
        } setup: {
            try await self.start()
        } teardown: {
            await self.stop()
        }
    }

    private func start() async throws {
        let started = Parts(
            server: try await NginxServer(serving: Self.document), client: try makeClient())
        parts.withLock { $0 = started }
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
        let clock = ContinuousClock()
        let processorStart = ProcessorTime.ofProcess
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.connectionCount {
                group.addTask {
                    for _ in 0..<Self.requestsPerTask {
                        guard try await parts.client.get(parts.server.address) == Self.documentSize
                        else { throw WrongAnswer() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let elapsed = clock.now - start
        let processorTime = ProcessorTime.ofProcess - processorStart
        let count = Self.connectionCount * Self.requestsPerTask
        benchmark.measurement(.requestRate, Int(Double(count) / (elapsed / .seconds(1))))
        benchmark.measurement(.requestTime, processorTime / count)
    }

    // 0.9 kB, as one article of an API.
    private static let document = Data(
        #"{"id":1,"title":"loopback","body":"\#(String(repeating: "words and ", count: 85))"}"#.utf8
    )
    private static let documentSize = document.count
}
