// SPDX-License-Identifier: Apache-2.0

/// An interceptor that adds credentials to requests, and tells which before it sends them.
///
/// Responses that are stored for requests without a ``Principal`` belong to the credentials with which they
/// were requested. What is stored can answer before, or in place of, a request only if its credentials are
/// known by then: those of the client, of its cookie jar, and of interceptors of this kind. Digests of
/// credentials are stored, never the credentials.
///
/// ``AuthorizationInterceptor`` is one. An interceptor of a program that adds credentials becomes one as
/// follows, or the program sets a principal:
///
/// ```swift
/// struct TokenInterceptor: CredentialInterceptor {
///     let token: @Sendable () -> String
///
///     func authorized(_ request: TransportRequest, under baseURL: HTTPURL) -> TransportRequest {
///         var request = request
///         request.headerFields[.authorization] = "Bearer \(token())"
///         return request
///     }
///
///     func send(
///         _ request: TransportRequest, through next: InterceptorChain
///     ) async throws -> TransportResponse {
///         try await next.send(authorized(request, under: next.baseURL))
///     }
/// }
/// ```
public protocol CredentialInterceptor: HTTPInterceptor {
    /// Returns a request with the credentials that the interceptor has at present, without waiting for
    /// others.
    ///
    /// - Parameters:
    ///   - request: The request from the previous stage.
    ///   - baseURL: The base URL of the client.
    /// - Returns: The request; as it is, if the interceptor has no credentials for it.
    /// - Throws: ``TransportError`` if the credentials cannot be represented in the request.
    func authorized(
        _ request: TransportRequest, under baseURL: HTTPURL
    ) throws -> TransportRequest
}
