// SPDX-License-Identifier: Apache-2.0

/// The origin of a response: the server or the cache.
public enum ResponseOrigin: Sendable, Hashable {
    /// The complete response came from the server.
    case network

    /// The response was fresh in the cache; its age is in seconds.
    ///
    /// Its `Set-Cookie` fields were processed before and do not apply again.
    case cache(age: Int)

    /// The response was stale in the cache, which the request or the server allowed; its age is in
    /// seconds.
    ///
    /// Its `Set-Cookie` fields were processed before and do not apply again.
    case stale(age: Int)

    /// The response was in the cache and was validated by the server; its `Set-Cookie` fields are
    /// new.
    case revalidated

    /// The cache generated the response, because it had no usable response and the request must not
    /// be forwarded.
    case unavailable

    /// A Boolean value that indicates whether the server received the request.
    public var isFromServer: Bool { self == .network || self == .revalidated }
}
