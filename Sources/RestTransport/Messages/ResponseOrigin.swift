// SPDX-License-Identifier: Apache-2.0

/// Where a response came from.
public enum ResponseOrigin: Sendable, Hashable {
    /// From the server, whole.
    case network

    /// From the cache, fresh, without asking the server; so many seconds old.
    ///
    /// Its `Set-Cookie` fields have been seen before and are not for a jar.
    case cache(age: Int)

    /// From the cache although no longer fresh, as the request or the server allowed; so many
    /// seconds old.
    ///
    /// Its `Set-Cookie` fields have been seen before and are not for a jar.
    case stale(age: Int)

    /// From the cache, after the server confirmed it; its `Set-Cookie` fields are new.
    case revalidated

    /// Made here: nothing stored could be served and the request forbade asking the server.
    case unavailable

    /// Whether the server took part.
    public var isFromServer: Bool { self == .network || self == .revalidated }
}
