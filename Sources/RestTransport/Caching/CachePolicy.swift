// SPDX-License-Identifier: Apache-2.0

/// How one request uses the client's cache.
///
/// Without a cache only ``cacheOnly`` makes a difference: it cannot be satisfied.
public enum CachePolicy: Sendable, Hashable {
    /// A fresh answer is served, a stale one revalidated, as RFC 9111 says.
    case standard

    /// A stored answer is served only after the server has confirmed it, or while it is fresh and the
    /// server has said that it does not change till then (`immutable`, RFC 8246).
    case revalidate

    /// A stored answer is served, however old, unless the server forbade that; else the server is
    /// asked.
    case cacheFirst

    /// A stored answer is served, however old, unless the server forbade that; the server is never
    /// asked. Without one the response is a 504 made here.
    case cacheOnly

    /// Nothing stored is served; the answer is stored.
    case ignore
}
