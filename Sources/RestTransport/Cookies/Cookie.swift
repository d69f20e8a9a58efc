// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A piece of text that a server wants to see again, as a ``CookieJar`` keeps it.
///
/// - Source: RFC 6265bis §5.7.
public struct Cookie: Sendable, Hashable {
    /// Which requests carry a cookie that other sites led to.
    public enum SameSite: String, Sendable, Hashable {
        /// All, also those that another site redirected here.
        case none
        /// Those, when their method is safe; what holds when the server does not say.
        case lax
        /// None that another site redirected here.
        case strict
    }

    /// The name; empty when the server gave none.
    public let name: String

    /// The value, a secret as a rule.
    public let value: String

    /// The host the cookie is for, or the domain over the hosts it is for.
    public let domain: String

    /// The one origin the cookie is for; `nil` when it is for a domain and all hosts below it.
    public let origin: HTTPOrigin?

    /// The path under which requests carry the cookie.
    public let path: String

    /// When the cookie is forgotten; `nil` when it is kept as long as the jar.
    public let expiry: Date?

    /// Whether the cookie goes over encrypted connections only.
    public let isSecure: Bool

    /// Whether the server wants scripts of a page not to see the cookie; kept, but of no
    /// consequence here.
    public let isHTTPOnly: Bool

    /// Which requests carry the cookie that other sites led to.
    public let sameSite: SameSite

    // Invariant: within a jar, ascending in the order of creation and of use.
    let creation: UInt64
    var lastUse: UInt64

    /// The cookie as it stands in a Cookie field.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// Whether one takes the place of the other.
    func isNamesake(of other: Cookie) -> Bool {
        name == other.name && domain == other.domain && origin == other.origin
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
