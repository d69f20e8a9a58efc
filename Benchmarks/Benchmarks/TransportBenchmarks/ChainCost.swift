// SPDX-License-Identifier: Apache-2.0

import Benchmark
import HTTPTypes
import RestTransport

extension BenchmarkMetric {
    /// The wall time of a request in one task, with a response from memory.
    static let passTime = BenchmarkMetric.custom("Time per request (ns)")
}

/// Benchmarks of a client's stages over a transport that responds immediately.
enum ChainCost {
    private static let requestCount = 20_000

    /// Registers the requests through a client.
    static func register(
        _ name: String,
        client makeClient: @escaping @Sendable (String, InstantArticle) throws -> HTTPClient
    ) {
        let configuration = Benchmark.Configuration(
            metrics: [.passTime, .wallClock, .throughput], warmupIterations: 1,
            maxDuration: .seconds(2), maxIterations: 20)
        Benchmark("no network: \(name)", configuration: configuration) { benchmark in
            let address = "http://127.0.0.1:8080/article.json"
            var client = try makeClient(address, InstantArticle())
            // Supervising the time limits of a foreign transport takes a task for each request.
            client.limits.connectTimeout = nil
            client.limits.idleTimeout = nil
            client.limits.totalTimeout = nil
            let start = ContinuousClock.now
            for number in 0..<requestCount {
                let url = try HTTPURL(parsing: "\(address)?\(number)")
                let response = try await client.send(TransportRequest(url: url))
                guard try await response.collect().count == 900 else { throw GetLoad.WrongAnswer() }
            }
            let time = (ContinuousClock.now - start) / requestCount
            benchmark.measurement(.passTime, Int(time / .nanoseconds(1)))
        }
    }
}

/// A transport that responds with nginx's header fields.
struct InstantArticle: HTTPTransport {
    private let body = [UInt8](repeating: UInt8(ascii: "a"), count: 900)

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fields: HTTPFields = [
            .server: "nginx/1.26.3", .date: "Sat, 21 Nov 2026 13:00:00 GMT",
            .contentType: "application/json", .contentLength: "900",
            .lastModified: "Sat, 21 Nov 2026 12:59:59 GMT", .connection: "keep-alive",
            .eTag: "\"5f3a-384\"", .acceptRanges: "bytes",
        ]
        return TransportResponse(
            to: request, head: HTTPResponse(status: .ok, headerFields: fields),
            body: ResponseBody(body))
    }
}
