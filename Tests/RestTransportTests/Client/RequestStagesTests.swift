// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite struct RequestStagesTests {
    /// An interceptor that records requests and the origins of their responses.
    private final class Recorder: HTTPInterceptor {
        private let log = Mutex<[(request: TransportRequest, origin: ResponseOrigin)]>([])

        var paths: [String] { log.withLock { $0.map(\.request.url.path) } }

        var origins: [ResponseOrigin] { log.withLock { $0.map(\.origin) } }

        func values(_ name: HTTPField.Name) -> [String?] {
            log.withLock { $0.map { $0.request.headerFields[name] } }
        }

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            let response = try await next.send(request)
            log.withLock { $0.append((request, response.origin)) }
            return response
        }
    }

    @Test func runsStagesInOrder() async throws {
        let transport = StubTransport { request in
            if request.url.path == "/v1/a" {
                return .stub(
                    .found, headerFields: [.location: "b", .setCookie: "c=1; Path=/"], to: request)
            }
            return .stub(headerFields: [.cacheControl: "max-age=60"], body: [1], to: request)
        }
        let (outer, inner) = (Recorder(), Recorder())
        var client = try HTTPClient(
            transport, interceptors: [outer], networkInterceptors: [inner], clock: ManualClock())
        client.credential = BearerToken("t")
        client.cookieJar = CookieJar()
        client.cache = HTTPCache()
        for _ in 0..<2 { #expect(try await client.read("a") == [1]) }
        // Interceptors run once for each request, before cookies are added.
        #expect(outer.paths == ["/v1/a", "/v1/a"])
        #expect(outer.values(.authorization) == ["Bearer t", "Bearer t"])
        #expect(outer.values(.cookie) == [nil, nil])
        #expect(outer.origins == [.network, .cache(age: 0)])
        // Network interceptors run for each redirect, and not if the cache answers.
        #expect(inner.paths == ["/v1/a", "/v1/b", "/v1/a"])
        #expect(inner.values(.cookie) == [nil, "c=1", "c=1"])
        #expect(transport.requests.map(\.url.path) == inner.paths)
    }

    @Test func followsChangedConfiguration() async throws {
        let (first, second) = (StubTransport { .stub(to: $0) }, StubTransport { .stub(to: $0) })
        let client = try HTTPClient(first)
        var changed = client
        changed.transport = second
        changed.defaultHeaders[.accept] = "text/plain"
        changed.interceptors = [CountingInterceptor(Count())]
        _ = try await client.read("a")
        _ = try await changed.read("b")
        #expect(first.requests.map(\.url.path) == ["/v1/a"])
        #expect(first.requests.map { $0.headerFields[.accept] } == [nil])
        #expect(second.requests.map(\.url.path) == ["/v1/b"])
        #expect(second.requests.map { $0.headerFields[.accept] } == ["text/plain"])
    }
}
