// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie, as stored in a ``CookieJar``.
///
/// - Source: RFC 6265bis §5.7.
public struct Cookie: Sendable, Hashable {
    /// The `SameSite` attribute: the requests that carry a cookie after a redirect from another
    /// site.
    public enum SameSite: String, Sendable, Hashable {
        /// All requests, including those that another site redirected.
        case none
        /// Requests that another site redirected only if their method is safe; the default if the
        /// server does not set the attribute.
        case lax
        /// Only requests that no other site redirected.
        case strict
    }

    /// The name; empty if the server set none.
    ///
    /// In ``name`` and ``value``, bytes that are not UTF-8 appear as U+FFFD. Requests carry the
    /// bytes that the server sent.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }

    /// The value; usually a secret.
    public var value: String { String(decoding: valueBytes, as: UTF8.self) }

    let nameBytes: [UInt8]
    let valueBytes: [UInt8]

    /// The host or the domain that the cookie applies to.
    public let domain: String

    /// The single origin that the cookie applies to; `nil` if it applies to a domain and all hosts
    /// in it.
    public let origin: HTTPOrigin?

    /// The path prefix of requests that carry the cookie.
    public let path: String

    /// The date when the cookie expires; `nil` for a session cookie, which lives as long as the
    /// jar.
    public let expiry: Date?

    /// A Boolean value that indicates whether the cookie is sent only over encrypted connections.
    public let isSecure: Bool

    /// A Boolean value that indicates whether scripts of a page must not read the cookie.
    ///
    /// The value is stored but has no effect in this package.
    public let isHTTPOnly: Bool

    /// The requests that carry the cookie after a redirect from another site.
    public let sameSite: SameSite

    // Invariant: sequence numbers of the jar, ascending in the order of creation and of use.
    let creation: UInt64
    var lastUse: UInt64

    /// The cookie in the form of a Cookie field.
    var pair: [UInt8] {
        nameBytes.isEmpty ? valueBytes : nameBytes + [UInt8(ascii: "=")] + valueBytes
    }

    /// Returns a Boolean value that indicates whether one cookie replaces the other.
    func hasSameIdentity(as other: Cookie) -> Bool {
        nameBytes == other.nameBytes && domain == other.domain && origin == other.origin
            && path == other.path
    }

    func isExpired(at date: Date) -> Bool {
        expiry.map { $0 <= date } ?? false
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name and domain; the value is a secret.
    public var description: String { "Cookie \(name) for \(domain)" }

    /// Name and domain; the value is a secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain]) }
}
