// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a server may make a jar keep, and for which requests.
///
/// Pure functions; ``CookieJar`` acts on them.
///
/// - Source: RFC 6265bis §5.1 and §5.7.
enum CookieRules {
    /// Longest time that a cookie is kept: 400 days.
    private static let maximumAge: TimeInterval = 400 * 86400

    /// The cookie that a field means, without its place in a jar.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - url: The address that answered with it.
    ///   - date: The time of the answer.
    ///   - configuration: What the jar takes.
    ///   - sequence: The place in the order of creation.
    /// - Returns: The cookie, perhaps one that has expired; `nil` when it is not to be kept.
    static func cookie(
        _ field: SetCookieField, from url: HTTPURL, at date: Date,
        _ configuration: CookieConfiguration, sequence: UInt64
    ) -> Cookie? {
        guard field.name.utf8.count + field.value.utf8.count <= configuration.cookieByteCount
        else { return nil }
        var domain: String?
        if let attribute = field.domain, !attribute.isEmpty {
            switch scope(ofDomain: attribute, host: url.host, configuration) {
            case .foreign: return nil
            case .host: break
            case .domain: domain = attribute
            }
        }
        if field.isSecure || field.sameSite == Cookie.SameSite.none {
            guard field.isSecure, url.scheme == .https else { return nil }
        }
        guard hasRightPrefix(field, isForHost: domain == nil) else { return nil }
        return Cookie(
            name: field.name, value: field.value, domain: domain ?? url.host,
            origin: domain == nil ? url.origin : nil, path: field.path ?? defaultPath(of: url),
            expiry: expiry(of: field, at: date), isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite ?? .lax, creation: sequence,
            lastUse: sequence)
    }

    /// Whether a request carries a cookie.
    ///
    /// - Parameters:
    ///   - cookie: A cookie whose domain is the host or one above it.
    ///   - url: The address of the request.
    ///   - isSafe: Whether its method is safe.
    ///   - isAstray: Whether another site led to it.
    /// - Returns: Whether it does.
    static func isSent(
        _ cookie: Cookie, to url: HTTPURL, isSafe: Bool, isAstray: Bool
    ) -> Bool {
        if let origin = cookie.origin, origin != url.origin { return false }
        if cookie.isSecure, url.scheme != .https { return false }
        if isAstray {
            if cookie.sameSite == .strict || cookie.sameSite == .lax && !isSafe { return false }
        }
        return covers(path: cookie.path, url.path)
    }

    /// Whether a cookie from an unencrypted connection would hide one for encrypted ones.
    static func hides(_ cookie: Cookie, _ secure: Cookie) -> Bool {
        secure.isSecure && secure.name == cookie.name
            && (isWithin(cookie.domain, secure.domain) || isWithin(secure.domain, cookie.domain))
            && covers(path: secure.path, cookie.path)
    }

    // MARK: Domains

    private enum Scope {
        case foreign
        case host
        case domain
    }

    private static func scope(
        ofDomain domain: String, host: String, _ configuration: CookieConfiguration
    ) -> Scope {
        if domain == host {
            // A name that others share, or an address, has no hosts below it that are one's own.
            return isAddress(host) || configuration.isPublicSuffix(domain) ? .host : .domain
        }
        guard !isAddress(host), isWithin(host, domain), !configuration.isPublicSuffix(domain)
        else { return .foreign }
        return .domain
    }

    /// Whether a host is a domain or below it.
    static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)")
    }

    private static func isAddress(_ host: String) -> Bool {
        // A canonical host that ends with a digit in its last label's place is an address.
        guard let last = host.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        return host.utf8.first == UInt8(ascii: "[") || last.allSatisfy { $0.isDigit }
    }

    // MARK: Paths

    private static func defaultPath(of url: HTTPURL) -> String {
        let path = url.path
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func covers(path cookiePath: String, _ path: String) -> Bool {
        let path = path.isEmpty ? "/" : path
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || cookiePath.utf8.last == UInt8(ascii: "/")
            || rest.first == UInt8(ascii: "/")
    }

    // MARK: Attributes

    private static func hasRightPrefix(_ field: SetCookieField, isForHost: Bool) -> Bool {
        // A cookie without name goes out as its value alone, which must not look like another.
        let name = (field.name.isEmpty ? field.value : field.name).asciiLowercased
        if field.name.isEmpty {
            return !name.hasPrefix("__secure-") && !name.hasPrefix("__host-")
        }
        if name.hasPrefix("__host-") {
            return field.isSecure && isForHost && field.path == "/"
        }
        return !name.hasPrefix("__secure-") || field.isSecure
    }

    private static func expiry(of field: SetCookieField, at date: Date) -> Date? {
        if let age = field.maximumAge {
            return age <= 0 ? .distantPast : date + min(TimeInterval(age), maximumAge)
        }
        return field.expires.map { min($0, date + maximumAge) }
    }
}
