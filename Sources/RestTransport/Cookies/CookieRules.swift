// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rules for storing and sending cookies, as pure functions.
///
/// - Source: RFC 6265bis §5.1 and §5.7.
enum CookieRules {
    /// The maximum time that a cookie is stored: 400 days, in seconds.
    private static let maximumAge: TimeInterval = 400 * 86400

    /// Returns the cookie that a field sets.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - url: The URL of the request.
    ///   - date: The time of the response.
    ///   - configuration: The limits of the jar.
    ///   - sequence: The sequence number of the creation.
    /// - Returns: The cookie, which may have expired; `nil` if it must not be stored.
    static func cookie(
        _ field: SetCookieField, from url: HTTPURL, at date: Date,
        _ configuration: CookieConfiguration, sequence: UInt64
    ) -> Cookie? {
        guard field.name.count + field.value.count <= configuration.cookieByteCount
        else { return nil }
        var domain: String?
        if let attribute = field.domain, !attribute.isEmpty {
            switch scope(ofDomain: attribute, host: url.host, configuration) {
            case .otherDomain: return nil
            case .host: break
            case .domain: domain = attribute
            }
        }
        if field.isSecure || field.sameSite == Cookie.SameSite.none {
            guard field.isSecure, url.scheme == .https else { return nil }
        }
        guard hasValidPrefix(field, isForHost: domain == nil) else { return nil }
        return Cookie(
            nameBytes: field.name, valueBytes: field.value, domain: domain ?? url.host,
            origin: domain == nil ? url.origin : nil, path: field.path ?? defaultPath(of: url),
            expiry: expiry(of: field, at: date), isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly, sameSite: field.sameSite ?? .lax, creation: sequence,
            lastUse: sequence)
    }

    /// Returns a Boolean value that indicates whether a request carries a cookie.
    ///
    /// - Parameters:
    ///   - cookie: A cookie whose domain is the host or a parent domain.
    ///   - url: The URL of the request.
    ///   - isSafe: Whether the method of the request is safe.
    ///   - leftTrustedOrigins: Whether redirects led through an origin that is not trusted.
    /// - Returns: `true` if the request carries the cookie.
    static func isSent(
        _ cookie: Cookie, to url: HTTPURL, isSafe: Bool, leftTrustedOrigins: Bool
    ) -> Bool {
        if let origin = cookie.origin, origin != url.origin { return false }
        if cookie.isSecure, url.scheme != .https { return false }
        if leftTrustedOrigins {
            if cookie.sameSite == .strict || cookie.sameSite == .lax && !isSafe { return false }
        }
        return matches(path: cookie.path, url.path)
    }

    /// Returns a Boolean value that indicates whether a cookie set over an unencrypted connection
    /// would shadow a secure one.
    ///
    /// - Source: RFC 6265bis §5.7, "leave secure cookies alone".
    static func shadows(_ cookie: Cookie, _ secure: Cookie) -> Bool {
        secure.isSecure && secure.nameBytes == cookie.nameBytes
            && (isWithin(cookie.domain, secure.domain) || isWithin(secure.domain, cookie.domain))
            && matches(path: secure.path, cookie.path)
    }

    // MARK: Domains

    private enum Scope {
        case otherDomain
        case host
        case domain
    }

    private static func scope(
        ofDomain domain: String, host: String, _ configuration: CookieConfiguration
    ) -> Scope {
        if domain == host {
            // The hosts in a public suffix belong to others, and an IP address has no subdomains.
            return isIPAddress(host) || configuration.isPublicSuffix(domain) ? .host : .domain
        }
        guard !isIPAddress(host), isWithin(host, domain), !configuration.isPublicSuffix(domain)
        else { return .otherDomain }
        return .domain
    }

    /// Returns a Boolean value that indicates whether a host is a domain or a subdomain of it.
    static func isWithin(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)")
    }

    private static func isIPAddress(_ host: String) -> Bool {
        // In canonical form, only an IPv4 address has a last label of digits.
        guard let last = host.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        return host.utf8.first == UInt8(ascii: "[") || last.allSatisfy { $0.isDigit }
    }

    // MARK: Paths

    private static func defaultPath(of url: HTTPURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else {
            return "/"
        }
        return String(path[..<slash])
    }

    private static func matches(path cookiePath: String, _ path: String) -> Bool {
        let path = path.isEmpty ? "/" : path
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || cookiePath.utf8.last == UInt8(ascii: "/")
            || rest.first == UInt8(ascii: "/")
    }

    // MARK: Attributes

    private static func hasValidPrefix(_ field: SetCookieField, isForHost: Bool) -> Bool {
        // A cookie without name is sent as its value alone, which must not imitate a prefix.
        let bytes = field.name.isEmpty ? field.value : field.name
        let name = String(decoding: bytes, as: UTF8.self).asciiLowercased
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
