// SPDX-License-Identifier: Apache-2.0

/// A type that intercepts requests and their responses.
///
/// An interceptor may change the request, answer it without sending it on, send it on more than
/// once, or change the response:
///
/// ```swift
/// struct LanguageInterceptor: HTTPInterceptor {
///     func send(
///         _ request: TransportRequest, through next: InterceptorChain
///     ) async throws -> TransportResponse {
///         var request = request
///         request.headerFields[.acceptLanguage] = "is"
///         return try await next.send(request)
///     }
/// }
/// ```
///
/// ``HTTPClient`` has two lists of interceptors and documents their place among the stages.
/// Requests from interceptors are validated before they go on the wire. The recommended order of
/// this package's interceptors is:
///
/// ```swift
/// client.interceptors = [
///     RequestIDInterceptor(),                  // one ID for all following stages
///     LoggingInterceptor(logger: logger),      // one line for each request
///     RequestCoalescingInterceptor(),          // coalesced requests share one credential
///     AuthorizationInterceptor(authorizer),    // one retry for each request
/// ]
/// client.networkInterceptors = [
///     RetryInterceptor(),                      // each exchange on its own, after the cache
/// ]
/// ```
///
/// Place `MetricsInterceptor` and `TracingInterceptor` first in `interceptors` to measure requests,
/// or last in `networkInterceptors` to measure exchanges.
public protocol HTTPInterceptor: Sendable {
    /// Returns the response to a request, usually by sending it on.
    ///
    /// - Parameters:
    ///   - request: The request from the previous stage.
    ///   - next: The following stages; may be called any number of times, also concurrently.
    /// - Returns: The response; its body may still be arriving.
    /// - Throws: Errors of the following stages, and ``TransportError``. Avoid other error types.
    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse
}
