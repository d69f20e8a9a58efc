// SPDX-License-Identifier: Apache-2.0

#if Tracing
import HTTPTypes
public import Tracing

/// An interceptor that creates a span for each request and propagates its context to the server.
///
/// In ``HTTPClient/networkInterceptors``, after a ``RetryInterceptor``, each exchange has a span,
/// as OpenTelemetry specifies; in ``HTTPClient/interceptors`` each request, with all redirects and
/// retries. The span ends with the response header.
///
/// The tracer injects the context into the request, as `traceparent` and `tracestate` for W3C Trace
/// Context, only for the origin of the client's base URL. Spans contain method, URL without
/// query, and status or error code, but no header fields and bodies.
///
/// Available with the trait `Tracing`.
///
/// - Source: OpenTelemetry's semantic conventions for HTTP client spans.
public struct TracingInterceptor: HTTPInterceptor {
    private let ownTracer: (any Tracer)?

    /// Creates an interceptor.
    ///
    /// - Parameter tracer: The tracer; `nil` uses the one that the application has set up.
    public init(tracer: (any Tracer)? = nil) {
        ownTracer = tracer
    }

    /// Sends a request within a span.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let tracer = ownTracer ?? InstrumentationSystem.tracer
        let context = ServiceContext.current ?? .topLevel
        let span = tracer.startSpan(request.method.rawValue, context: context, ofKind: .client)
        defer { span.end() }
        describe(request, on: span)
        var request = request
        if request.url.hasSameOrigin(as: next.baseURL) {
            tracer.inject(span.context, into: &request.headerFields, using: FieldInjector())
        }
        do {
            let response = try await ServiceContext.$current.withValue(span.context) {
                [request] in try await next.send(request)
            }
            span.attributes["http.response.status_code"] = response.status.code
            if response.status.code >= 400 {
                span.attributes["error.type"] = "\(response.status.code)"
                span.setStatus(SpanStatus(code: .error))
            }
            return response
        } catch {
            // The error itself is not recorded, because its description may contain secrets.
            span.attributes["error.type"] = ErrorType.name(of: error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }

    private func describe(_ request: TransportRequest, on span: any Span) {
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = request.method.rawValue
        span.attributes["url.full"] = request.url.redacted
        span.attributes["server.address"] = request.url.host
        span.attributes["server.port"] = request.url.port
    }
}

/// An injector of trace contexts into header fields.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        if let name = HTTPField.Name(key), HTTPField.isValidValue(value) { fields[name] = value }
    }
}
#endif
