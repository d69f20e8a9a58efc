// SPDX-License-Identifier: Apache-2.0

#if Tracing
import HTTPTypes
import InMemoryTracing
import RestTesting
import RestTransport
import TestSupport
import Testing
import Tracing

@Suite struct TracingInterceptorTests {
    private let tracer = InMemoryTracer()

    @Test func createsSpanForEachExchange() async throws {
        let transport = RetryInterceptorTests.transport([.serviceUnavailable, .ok])
        let client = try HTTPClient(
            transport,
            networkInterceptors: [RetryInterceptor(), TracingInterceptor(tracer: tracer)],
            clock: RetryInterceptorTests.InstantClock())
        #expect(try await client.status("a?token=secret") == 200)
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET", "GET"])
        #expect(spans.map(\.kind) == [.client, .client])
        #expect(spans.map { $0.status?.code } == [.error, nil])
        #expect(spans.map { "\($0.attributes)".contains("secret") } == [false, false])
        let attributes = try #require(spans.last).attributes
        #expect(attributes["http.request.method"]?.toSpanAttribute() == "GET")
        #expect(attributes["http.response.status_code"]?.toSpanAttribute() == 200)
        #expect(attributes["url.full"]?.toSpanAttribute() == "https://api.test/v1/a?…")
        #expect(attributes["server.address"]?.toSpanAttribute() == "api.test")
        #expect(attributes["server.port"]?.toSpanAttribute() == 443)
    }

    @Test func injectsContextOnlyForOwnOrigin() async throws {
        let transport = StubTransport { request in
            request.url.path == "/v1/a"
                ? .stub(.found, headerFields: [.location: "https://other.test/b"], to: request)
                : .stub(to: request)
        }
        let client = try HTTPClient(
            transport, networkInterceptors: [TracingInterceptor(tracer: tracer)])
        _ = try await client.status("a")
        #expect(tracer.performedContextInjections.count == 1)
        let values = try #require(tracer.performedContextInjections.first).values
        #expect(!values.isEmpty)
        for (key, value) in values {
            let name = try #require(HTTPField.Name(key))
            #expect(transport.requests.map { $0.headerFields[name] } == [value, nil])
        }
    }

    @Test func isParentOfNestedSpans() async throws {
        let transport = StubTransport { [tracer] request in
            tracer.startSpan("inside", context: ServiceContext.current ?? .topLevel).end()
            return .stub(to: request)
        }
        let client = try HTTPClient(
            transport, interceptors: [TracingInterceptor(tracer: tracer)])
        let outside = tracer.startSpan("outside", context: .topLevel)
        try await ServiceContext.$current.withValue(outside.context) {
            _ = try await client.status("a")
        }
        let spans = tracer.finishedSpans
        let own = try #require(spans.first { $0.operationName == "GET" })
        let inside = try #require(spans.first { $0.operationName == "inside" })
        #expect(inside.parentSpanID == own.spanID)
        #expect(own.parentSpanID == outside.spanID)
    }

    @Test func recordsErrorCodes() async throws {
        let transport = StubTransport { request in
            throw TransportError(
                .tlsFailed, stage: .connecting, request: request, reason: "test")
        }
        let client = try HTTPClient(
            transport, interceptors: [TracingInterceptor(tracer: tracer)])
        _ = try? await client.status("a")
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == "tlsFailed")
        #expect(span.status?.code == .error)
        #expect(span.errors.isEmpty)
    }
}
#endif
