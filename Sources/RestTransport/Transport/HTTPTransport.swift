// SPDX-License-Identifier: Apache-2.0

/// A type that sends one request to a server and returns the response.
///
/// Adapters implement this protocol on top of HTTP libraries. A transport makes exactly one
/// exchange: it follows no redirects, stores no cookies, uses no cache, adds no credentials and
/// repeats no request that is not idempotent. ``HTTPClient`` does all of that. The transport sends
/// the URL exactly as in ``HTTPURL/text``.
///
/// A transport outside this package need not enforce limits: ``HTTPClient`` does. It must throw
/// `CancellationError` promptly when its task is cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns once the response header is complete.
    ///
    /// - Parameter request: A valid request; `nil` limits mean ``TransportLimits/default``.
    /// - Returns: The response; its body may still be arriving.
    /// - Throws: ``TransportError``, or `CancellationError` if the task was cancelled. Status codes
    ///   do not throw.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A transport that enforces ``TransportLimits`` itself.
package protocol LimitEnforcingTransport: HTTPTransport {}
