// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Foundation
import HTTPTypes
import RestTransport
import Synchronization

extension BenchmarkMetric {
    /// The wall time from a request to its complete body.
    static let hitTime = BenchmarkMetric.custom("Time per hit (ns)")
}

/// Benchmarks of cache hits among many stored responses.
final class CacheHits: Sendable {
    private static let hitCount = 10_000
    /// The requests, sent in turn.
    private static let askedCount = 100

    private let entryCount: Int
    private let makeStorage: @Sendable (URL) throws -> any CacheStorage
    private let client = Mutex<HTTPClient?>(nil)
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "RestKitBenchmarks-\(UUID().uuidString)")

    /// Registers hits in one storage with a number of entries.
    @discardableResult
    init(
        _ name: String, entryCount: Int,
        storage makeStorage: @escaping @Sendable (URL) throws -> any CacheStorage
    ) {
        self.entryCount = entryCount
        self.makeStorage = makeStorage
        let configuration = Benchmark.Configuration(
            metrics: [.hitTime, .wallClock, .throughput], warmupIterations: 1,
            maxDuration: .seconds(2), maxIterations: 20)
        Benchmark(
            "\(entryCount) entries: \(name)", configuration: configuration
        ) { benchmark in
            try await self.run(benchmark)
        } setup: {
            try await self.fill()
        } teardown: {
            self.client.withLock { $0 = nil }
            try FileManager.default.removeItem(at: self.directory)
        }
    }

    private func fill() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let storage = try makeStorage(directory)
        var client = try HTTPClient(baseURL: "https://api.example.com/v1/", transport: Article())
        client.cache = HTTPCache(storage: storage)
        for number in 0..<entryCount {
            _ = try await client.send(client.request(at: "articles/\(number)")).collect()
        }
        let stored = client
        self.client.withLock { $0 = stored }
    }

    private func run(_ benchmark: Benchmark) async throws {
        guard let client = client.withLock({ $0 }) else { throw NoHit() }
        let requests = try (0..<Self.askedCount).map { number in
            try client.request(at: "articles/\(number * (entryCount / Self.askedCount))")
        }
        let start = ContinuousClock.now
        for number in 0..<Self.hitCount {
            let response = try await client.send(requests[number % requests.count])
            guard case .cache = response.origin, try await response.collect().count == 900 else {
                throw NoHit()
            }
        }
        let time = (ContinuousClock.now - start) / Self.hitCount
        benchmark.measurement(.hitTime, Int(time / .nanoseconds(1)))
    }

    /// An error for a stored response that was not found.
    private struct NoHit: Error {}
}

/// A transport that responds with a cacheable article.
private struct Article: HTTPTransport {
    private let fields: HTTPFields = [
        .contentType: "application/json", .contentLength: "900", .eTag: "\"5f3a\"",
        .lastModified: "Wed, 01 Jan 2020 00:00:00 GMT",
        .cacheControl: "private, max-age=36000", .vary: "Accept, Accept-Language",
    ]
    private let body = [UInt8](repeating: UInt8(ascii: "a"), count: 900)

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: .ok, headerFields: fields),
            body: ResponseBody(body))
    }
}
