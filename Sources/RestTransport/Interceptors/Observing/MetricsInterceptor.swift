// SPDX-License-Identifier: Apache-2.0

#if Metrics
import HTTPTypes
public import Metrics
import Synchronization

/// An interceptor that records the duration of requests.
///
/// In ``HTTPClient/interceptors`` it measures requests with all redirects and retries, in
/// ``HTTPClient/networkInterceptors`` each exchange. The duration ends with the response header.
/// The only metric is a timer named `http.client.request.duration`, with the dimensions
/// `http.request.method`, `http.response.status_code` (if there is a response) and `error.type` (if
/// there is none: the ``TransportError/Code``, `cancelled`, or `_OTHER`). The number of their
/// values does not grow with URLs, users or servers; unknown methods are `_OTHER`.
///
/// Available with the trait `Metrics`.
///
/// - Source: OpenTelemetry's semantic conventions for HTTP clients, without server addresses and
///   ports.
public final class MetricsInterceptor: HTTPInterceptor {
    private struct Outcome: Hashable {
        var method: String
        var status: Int?
        var error: String?
    }

    private let label: String
    private let factory: any MetricsFactory
    private let timers = Mutex<[Outcome: Metrics.Timer]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - label: The name of the timer.
    ///   - factory: The factory of the timers; by default the one that the application has set up.
    public init(
        label: String = "http.client.request.duration",
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.label = label
        self.factory = factory
    }

    /// Sends a request and records the duration until its response header.
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
