// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cookies of one principal, by domain.
struct CookieShelf {
    private var domains: [String: [Cookie]] = [:]
    private var count = 0

    /// The cookies of a request: longer paths first, then those created first.
    func cookies(for url: HTTPURL, isSafe: Bool, isAstray: Bool, at date: Date) -> [Cookie] {
        var found: [Cookie] = []
        var domain = url.host[...]
        while true {
            for cookie in domains[String(domain)] ?? [] where !cookie.isExpired(at: date) {
                if CookieRules.isSent(cookie, to: url, isSafe: isSafe, isAstray: isAstray) {
                    found.append(cookie)
                }
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

    /// Notes that cookies were sent.
    mutating func use(_ cookies: [Cookie], sequence: UInt64) {
        for used in cookies {
            guard let index = domains[used.domain]?.firstIndex(where: { $0.isNamesake(of: used) })
            else { continue }
            domains[used.domain]?[index].lastUse = sequence
        }
    }

    /// Keeps a cookie in place of its namesake, and lets go of what is too much.
    ///
    /// - Returns: Whether it may be kept, or may take its namesake away.
    mutating func keep(
        _ cookie: Cookie, from scheme: HTTPURL.Scheme, at date: Date,
        _ configuration: CookieConfiguration
    ) -> Bool {
        if scheme == .http, isHidden(by: cookie) { return false }
        var cookies = domains[cookie.domain] ?? []
        let before = cookies.count
        var cookie = cookie
        if let index = cookies.firstIndex(where: { $0.isNamesake(of: cookie) }) {
            cookie = cookie.created(at: cookies.remove(at: index).creation)
        }
        if !cookie.isExpired(at: date) { cookies.append(cookie) }
        if cookies.count > configuration.countPerDomain {
            cookies.removeAll { $0.isExpired(at: date) }
        }
        while cookies.count > configuration.countPerDomain {
            cookies.removeLeastUsed()
        }
        domains[cookie.domain] = cookies.isEmpty ? nil : cookies
        count += cookies.count - before
        if count > configuration.count { makeRoom(at: date, upTo: configuration.count) }
        return true
    }

    private func isHidden(by cookie: Cookie) -> Bool {
        domains.values.contains { cookies in
            cookies.contains { CookieRules.hides(cookie, $0) }
        }
    }

    private mutating func makeRoom(at date: Date, upTo limit: Int) {
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
            name: name, value: value, domain: domain, origin: origin, path: path, expiry: expiry,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, creation: creation,
            lastUse: lastUse)
    }
}

extension [Cookie] {
    /// Lets go of the one not used for the longest time, of those for unencrypted connections first.
    fileprivate mutating func removeLeastUsed() {
        let candidates = indices.filter { !self[$0].isSecure }
        let index = (candidates.isEmpty ? Array<Int>(indices) : candidates).min {
            self[$0].lastUse < self[$1].lastUse
        }
        if let index { remove(at: index) }
    }
}
