// SPDX-License-Identifier: Apache-2.0

/// Carries one request to a server and brings back the response.
///
/// The seam between this package and the libraries that move bytes. A transport makes exactly one
/// exchange: it follows no redirect, keeps no cookie, uses no cache, adds no credential and repeats
/// nothing that is not idempotent; all of that is ``HTTPClient``'s or above it. It sends the
/// address as ``HTTPURL/text`` says and never interprets it in another way.
///
/// A transport outside this package need not count limits: ``HTTPClient`` guards it. It must end
/// promptly, with `CancellationError`, when its task is cancelled.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns when the response header is complete.
    ///
    /// - Parameter request: A checked request; `nil` limits mean ``TransportLimits/default``.
    /// - Returns: The response; its body may still be arriving.
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled. Status
    ///   codes do not throw.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A transport that counts ``TransportLimits`` itself, so that the client need not guard it.
package protocol LimitEnforcingTransport: HTTPTransport {}
