// SPDX-License-Identifier: Apache-2.0

#if Metrics
import HTTPTypes
import MetricsTestKit
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct MetricsInterceptorTests {
    @Test func recordsDurationByOutcome() async throws {
        let clock = ManualClock()
        let transport = StubTransport { request in
            clock.advance(by: .milliseconds(20))
            switch request.url.path {
            case "/v1/missing": return .stub(.notFound, to: request)
            case "/v1/lost":
                throw TransportError(
                    .connectionLost, stage: .receivingHeader, request: request, reason: "test")
            case "/v1/cancelled": throw CancellationError()
            default: return .stub(to: request)
            }
        }
        let metrics = TestMetrics()
        let client = try HTTPClient(
            transport, interceptors: [MetricsInterceptor(factory: metrics)], clock: clock)
        for path in ["a", "b?x=1", "missing", "lost", "cancelled"] {
            _ = try? await client.status(path)
        }
        _ = try await client.send(try client.request(try .init(checking: "PURGE"), at: "c"))
        let label = "http.client.request.duration"
        func values(_ dimensions: [(String, String)]) throws -> [Int64] {
            try metrics.expectTimer(label, dimensions).values
        }
        let get = ("http.request.method", "GET")
        #expect(
            try values([get, ("http.response.status_code", "200")]) == [20_000_000, 20_000_000])
        #expect(try values([get, ("http.response.status_code", "404")]) == [20_000_000])
        #expect(try values([get, ("error.type", "connectionLost")]) == [20_000_000])
        #expect(try values([get, ("error.type", "cancelled")]) == [20_000_000])
        #expect(
            try values([("http.request.method", "_OTHER"), ("http.response.status_code", "200")])
                == [20_000_000])
    }

    @Test func createsOneTimerPerOutcome() async throws {
        let metrics = TestMetrics()
        let client = try HTTPClient(
            StubTransport { .stub(to: $0) }, interceptors: [MetricsInterceptor(factory: metrics)])
        for number in 0..<100 { _ = try await client.status("items/\(number)?x=\(number)") }
        #expect(metrics.timers.count == 1)
    }
}
#endif
