// SPDX-License-Identifier: Apache-2.0

/// The use of the client's cache by a request.
///
/// ``revalidate`` and ``ignore`` also apply to the caches between the client and the server: the
/// request carries their directives, unless it has a `Cache-Control` or `Pragma` field of its own.
/// Without a cache that is their only effect, and no response satisfies ``cacheOnly``.
///
/// - Source: Fetch standard, HTTP-network-or-cache fetch, for the directives.
public enum CachePolicy: Sendable, Hashable {
    /// Reuses a fresh response and validates a stale one, as RFC 9111 specifies.
    ///
    /// The validation of a response that was `immutable` is sent with `Cache-Control: max-age=0`,
    /// so that no other cache answers it.
    case standard

    /// Reuses a stored response only after successful validation, or while it is fresh and
    /// `immutable` (RFC 8246).
    ///
    /// Requests are sent with `Cache-Control: max-age=0`.
    case revalidate

    /// Reuses a stored response of any age, unless its directives forbid that; otherwise forwards
    /// the request to the server.
    case cacheFirst

    /// Reuses a stored response of any age, unless its directives forbid that, and never forwards
    /// the request.
    ///
    /// If there is no such response, the cache generates a 504 (Gateway Timeout) response.
    case cacheOnly

    /// Never reuses a stored response; stores the response of the server.
    ///
    /// Requests are sent with `Cache-Control: no-cache` and `Pragma: no-cache`.
    case ignore
}
