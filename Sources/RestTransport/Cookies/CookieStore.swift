// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cookies of one principal, by domain.
struct CookieStore {
    private var domains: [String: [Cookie]] = [:]
    private var count = 0

    /// Returns the cookies of a request: longer paths first, then earlier creation first.
    func cookies(
        for url: HTTPURL, isSafe: Bool, leftTrustedOrigins: Bool, at date: Date
    ) -> [Cookie] {
        var found: [Cookie] = []
        var domain = url.host[...]
        while true {
            for cookie in domains[String(domain)] ?? [] where !cookie.isExpired(at: date) {
                let isSent = CookieRules.isSent(
                    cookie, to: url, isSafe: isSafe, leftTrustedOrigins: leftTrustedOrigins)
                if isSent { found.append(cookie) }
            }
            guard let dot = domain.firstIndex(of: ".") else { break }
            domain = domain[domain.index(after: dot)...]
        }
        return found.sorted { left, right in
            let (leftLength, rightLength) = (left.path.utf8.count, right.path.utf8.count)
            return leftLength == rightLength
                ? left.creation < right.creation : leftLength > rightLength
        }
    }

    /// Marks cookies as used.
    mutating func markUsed(_ cookies: [Cookie], sequence: UInt64) {
        for used in cookies {
            let index = domains[used.domain]?.firstIndex { $0.hasSameIdentity(as: used) }
            guard let index else { continue }
            domains[used.domain]?[index].lastUse = sequence
        }
    }

    /// Inserts a cookie, or replaces the one with the same identity, and evicts cookies until the
    /// store fits its limits.
    ///
    /// An expired cookie only removes the one with the same identity.
    ///
    /// - Returns: `false` if the cookie must not be set over this connection.
    mutating func insert(
        _ cookie: Cookie, from scheme: HTTPURL.Scheme, at date: Date,
        _ configuration: CookieConfiguration
    ) -> Bool {
        if scheme == .http, shadowsSecureCookie(cookie) { return false }
        var cookies = domains[cookie.domain] ?? []
        let before = cookies.count
        var cookie = cookie
        if let index = cookies.firstIndex(where: { $0.hasSameIdentity(as: cookie) }) {
            cookie = cookie.created(at: cookies.remove(at: index).creation)
        }
        if !cookie.isExpired(at: date) { cookies.append(cookie) }
        if cookies.count > configuration.countPerDomain {
            cookies.removeAll { $0.isExpired(at: date) }
        }
        while cookies.count > configuration.countPerDomain {
            cookies.removeLeastRecentlyUsed()
        }
        domains[cookie.domain] = cookies.isEmpty ? nil : cookies
        count += cookies.count - before
        if count > configuration.count { evict(at: date, downTo: configuration.count) }
        return true
    }

    private func shadowsSecureCookie(_ cookie: Cookie) -> Bool {
        domains.values.contains { cookies in
            cookies.contains { CookieRules.shadows(cookie, $0) }
        }
    }

    /// Evicts expired cookies, then the least recently used ones.
    private mutating func evict(at date: Date, downTo limit: Int) {
        for (domain, cookies) in domains {
            let rest = cookies.filter { !$0.isExpired(at: date) }
            count -= cookies.count - rest.count
            domains[domain] = rest.isEmpty ? nil : rest
        }
        while count > limit {
            let oldest = domains.min { left, right in
                (left.value.map(\.lastUse).min() ?? 0) < (right.value.map(\.lastUse).min() ?? 0)
            }
            guard let oldest else { return }
            var cookies = oldest.value
            if let index = cookies.indices.min(by: { cookies[$0].lastUse < cookies[$1].lastUse }) {
                cookies.remove(at: index)
            }
            domains[oldest.key] = cookies.isEmpty ? nil : cookies
            count -= 1
        }
    }
}

extension Cookie {
    fileprivate func created(at creation: UInt64) -> Cookie {
        Cookie(
            nameBytes: nameBytes, valueBytes: valueBytes, domain: domain, origin: origin,
            path: path, expiry: expiry, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: sameSite, creation: creation, lastUse: lastUse)
    }
}

extension [Cookie] {
    /// Removes the least recently used cookie, of those without `Secure` if there are any.
    fileprivate mutating func removeLeastRecentlyUsed() {
        let candidates = indices.filter { !self[$0].isSecure }
        let index = (candidates.isEmpty ? Array<Int>(indices) : candidates).min {
            self[$0].lastUse < self[$1].lastUse
        }
        if let index { remove(at: index) }
    }
}
