// SPDX-License-Identifier: Apache-2.0

/// Stands between who sends a request and what answers it.
///
/// An interceptor may change the request, answer without asking further, ask more than once, or
/// change the response:
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
/// Where it stands decides what it sees; ``HTTPClient`` has two places for it and documents the
/// order. What an interceptor sends on is checked again before it goes on the wire. This is the order
/// in which those of this package are meant to stand, all or some of them:
///
/// ```swift
/// client.interceptors = [
///     RequestIDInterceptor(),                  // one id for all that follows
///     LoggingInterceptor(logger: logger),      // one line for each request
///     JoiningInterceptor(),                    // joined requests need one credential
///     AuthorizationInterceptor(authorizer),    // one replay for each request
/// ]
/// client.networkInterceptors = [
///     RetryInterceptor(),                      // each hop by itself, behind the cache
/// ]
/// ```
///
/// `MetricsInterceptor` and `TracingInterceptor` stand first in `interceptors` to measure requests,
/// or last in `networkInterceptors` to measure exchanges.
public protocol HTTPInterceptor: Sendable {
    /// Answers a request, as a rule by sending it on.
    ///
    /// - Parameters:
    ///   - request: The request as it came from the outside.
    ///   - next: What stands further inside; may be asked any number of times, one after the other
    ///     or at once.
    /// - Returns: The response; its body may still be arriving.
    /// - Throws: What asking further throws, and ``TransportError``; never an error of its own kind
    ///   without need.
    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse
}
