// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct LimitEnforcingExchangeTests {
    /// An endless body of ten-byte chunks, with a pause before each.
    private final class EndlessBody: ResponseBodySource {
        let pause: Duration

        init(pause: Duration) {
            self.pause = pause
        }

        func next() async throws -> [UInt8]? {
            try await Task.sleep(for: pause)
            return Array(repeating: 0, count: 10)
        }

        func cancel() {}
    }

    @Test func enforcesLimitsOfOtherTransports() async throws {
        let stub = StubTransport { request in
            switch request.url.path {
            case "/silent":
                try await Task.sleep(for: .seconds(60))
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok), body: ResponseBody([]))
            case "/large":
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok),
                    body: ResponseBody(Array(repeating: 0, count: 101)))
            default:
                let pause: Duration = request.url.path == "/endless" ? .zero : .milliseconds(100)
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok),
                    body: ResponseBody(source: EndlessBody(pause: pause)))
            }
        }
        let client = try HTTPClient(baseURL: "http://base/", transport: stub)
        // Only one limit at a time, so that a slow machine does not reach another one first.
        let size: (inout TransportLimits) -> Void = { $0.bodyByteCount = 100 }
        let idle: (inout TransportLimits) -> Void = { $0.idleTimeout = .milliseconds(400) }
        let total: (inout TransportLimits) -> Void = { $0.totalTimeout = .milliseconds(600) }
        for (path, limit, code, stage) in [
            ("silent", idle, .timedOut, .receivingHeader),
            ("silent", total, .timedOut, .receivingHeader),
            ("large", size, .bodyTooLarge, .receivingBody),
            ("endless", size, .bodyTooLarge, .receivingBody),
            ("dripping", total, .timedOut, .receivingBody),
        ]
            as [(
                String, (inout TransportLimits) -> Void, TransportError.Code, TransportError.Stage
            )]
        {
            var request = try client.request(at: path)
            var limits = TransportLimits.short
            limit(&limits)
            request.limits = limits
            let error = await transportError { _ = try await client.send(request).collect() }
            #expect(error?.code == code, "\(path)")
            #expect(error?.stage == stage, "\(path)")
            #expect(error?.url == "http://base/\(path)")
        }
    }
}
