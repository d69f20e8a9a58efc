// SPDX-License-Identifier: Apache-2.0

#if Tracing
import HTTPTypes
public import Tracing

/// Makes a span of each request and tells the server which one it belongs to.
///
/// In ``HTTPClient/networkInterceptors``, inside of a ``RetryInterceptor``, each exchange has its
/// span, as OpenTelemetry wants it; in ``HTTPClient/interceptors`` each request, with all its
/// redirects and repetitions. The span ends with the response header.
///
/// The context goes on the request through the tracer, as `traceparent` and `tracestate` when it
/// speaks W3C Trace Context, to the origin of the client's base and to no other. Spans hold method,
/// address without query, and status or error code; nothing of headers and bodies.
///
/// With trait `Tracing`.
///
/// - Source: OpenTelemetry's semantic conventions for HTTP client spans.
public struct TracingInterceptor: HTTPInterceptor {
    private let ownTracer: (any Tracer)?

    /// Makes an interceptor.
    ///
    /// - Parameter tracer: What makes spans; the one that the application has set up when `nil`.
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
            // Not recorded as an error, whose description may be anybody's.
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

/// Puts what a tracer wants to hand on into header fields.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        if let name = HTTPField.Name(key), HTTPField.isValidValue(value) { fields[name] = value }
    }
}
#endif
