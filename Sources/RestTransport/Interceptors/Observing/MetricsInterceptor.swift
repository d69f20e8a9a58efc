// SPDX-License-Identifier: Apache-2.0

#if Metrics
import HTTPTypes
public import Metrics
import Synchronization

/// Measures how long requests take, by what they came to.
///
/// In ``HTTPClient/interceptors`` it measures requests with all their redirects and repetitions, in
/// ``HTTPClient/networkInterceptors`` each exchange; the time ends with the response header. Its one
/// metric is a timer named `http.client.request.duration`, with the dimensions
/// `http.request.method`, `http.response.status_code` (when there is a response) and `error.type`
/// (when there is none: the ``TransportError/Code``, `cancelled`, or `_OTHER`). None of them grows
/// with the addresses, users or servers there are; methods that HTTP does not define are `_OTHER`.
///
/// With trait `Metrics`.
///
/// - Source: OpenTelemetry's semantic conventions for HTTP clients, of which addresses and ports are
///   left out.
public final class MetricsInterceptor: HTTPInterceptor {
    private struct Outcome: Hashable {
        var method: String
        var status: Int?
        var error: String?
    }

    private let label: String
    private let factory: any MetricsFactory
    private let timers = Mutex<[Outcome: Metrics.Timer]>([:])

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - label: The name of the timer.
    ///   - factory: Where timers come from; the one that the application has set up by default.
    public init(
        label: String = "http.client.request.duration",
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.label = label
        self.factory = factory
    }

    /// Sends a request and measures the time until its response header.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let start = next.clock.now
        var outcome = Outcome(method: Self.name(of: request.method))
        do {
            let response = try await next.send(request)
            outcome.status = response.status.code
            record(outcome, next.clock.now - start)
            return response
        } catch {
            outcome.error = ErrorType.name(of: error)
            record(outcome, next.clock.now - start)
            throw error
        }
    }

    private func record(_ outcome: Outcome, _ duration: Duration) {
        let timer = timers.withLock { timers in
            if let timer = timers[outcome] { return timer }
            var dimensions = [("http.request.method", outcome.method)]
            if let status = outcome.status {
                dimensions.append(("http.response.status_code", "\(status)"))
            }
            if let error = outcome.error { dimensions.append(("error.type", error)) }
            let timer = Metrics.Timer(label: label, dimensions: dimensions, factory: factory)
            timers[outcome] = timer
            return timer
        }
        timer.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    private static func name(of method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
        default: "_OTHER"
        }
    }
}
#endif
