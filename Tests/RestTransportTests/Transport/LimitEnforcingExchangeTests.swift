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
        var client = try HTTPClient(baseURL: "http://base/", transport: stub)
        client.limits.bodyByteCount = 100
        for (path, code, stage) in [
            ("silent", .timedOut, .receivingHeader), ("large", .bodyTooLarge, .receivingBody),
            ("endless", .bodyTooLarge, .receivingBody), ("dripping", .timedOut, .receivingBody),
        ] as [(String, TransportError.Code, TransportError.Stage)] {
            // Where the number of bytes decides, no load of the machine may exceed a time limit.
            let isTimed = code == .timedOut
            client.limits.idleTimeout = isTimed ? .milliseconds(400) : .seconds(60)
            client.limits.totalTimeout = isTimed ? .milliseconds(600) : .seconds(60)
            let error = await transportError { [client] in _ = try await client.read(path) }
            #expect(error?.code == code, "\(path)")
            #expect(error?.stage == stage, "\(path)")
            #expect(error?.url == "http://base/\(path)")
        }
    }
}
