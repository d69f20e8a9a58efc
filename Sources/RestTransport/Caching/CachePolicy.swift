// SPDX-License-Identifier: Apache-2.0

/// The use of the client's cache by a request.
///
/// Without a cache only ``cacheOnly`` has an effect: no response satisfies it.
public enum CachePolicy: Sendable, Hashable {
    /// Reuses a fresh response and validates a stale one, as RFC 9111 specifies.
    case standard

    /// Reuses a stored response only after successful validation, or while it is fresh and
    /// `immutable` (RFC 8246).
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
    case ignore
}
