// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store of the cookies that servers set, which a client sends with later requests.
///
/// A client has no jar by default. Copies of a client share its jar. Cookies set in a response to
/// one ``Principal`` are never sent for another. A request with a Cookie field of its own gets no
/// cookie from the jar, and a response from the cache sets none.
///
/// ```swift
/// client.cookieJar = CookieJar()
/// ```
///
/// The jar follows RFC 6265bis with one stricter rule: a cookie without `Domain` applies only to
/// the origin that set it, so it is sent neither to another port of the host nor from http to
/// https. After a redirect from another site, requests carry no `SameSite=Strict` cookies, and
/// requests with an unsafe method no `Lax` ones. Cookies are stored in memory only.
public final class CookieJar: Sendable {
    private struct State {
        var sequence: UInt64 = 0
        var stores: [Principal?: CookieStore] = [:]
    }

    /// The limits of the jar.
    public let configuration: CookieConfiguration

    private let state = Mutex(State())

    /// Creates an empty jar.
    ///
    /// - Parameter configuration: The limits of the jar.
    public init(configuration: CookieConfiguration = CookieConfiguration()) {
        self.configuration = configuration
    }

    /// Returns the cookies that a request with a safe method carries, in the order of the Cookie
    /// field.
    ///
    /// The call does not count as a use of the cookies.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - principal: The principal whose cookies are returned.
    ///   - date: The time of the request.
    /// - Returns: The cookies; empty if there are none.
    /// - Complexity: O(*n* log *n*) in the number of cookies of the host and its parent domains.
    public func cookies(
        for url: HTTPURL, of principal: Principal? = nil, at date: Date = Date()
    ) -> [Cookie] {
        state.withLock { state in
            state.stores[principal]?.cookies(
                for: url, isSafe: true, leftTrustedOrigins: false, at: date) ?? []
        }
    }

    /// Stores the cookie of a Set-Cookie field.
    ///
    /// An expired cookie removes the cookie that it would replace.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - url: The URL of the request whose response has the field.
    ///   - principal: The principal of the request.
    ///   - date: The time of the response.
    /// - Returns: `true` if the field is valid and the cookie may be set from the URL.
    @discardableResult
    public func set(
        _ field: String, from url: HTTPURL, for principal: Principal? = nil, at date: Date = Date()
    ) -> Bool {
        set(Array(field.utf8), from: url, for: principal, at: date)
    }

    private func set(
        _ field: [UInt8], from url: HTTPURL, for principal: Principal?, at date: Date
    ) -> Bool {
        guard let field = SetCookieField(parsing: field) else { return false }
        return state.withLock { state in
            state.sequence += 1
            guard
                let cookie = CookieRules.cookie(
                    field, from: url, at: date, configuration, sequence: state.sequence)
            else { return false }
            return state.stores[principal, default: CookieStore()].insert(
                cookie, from: url.scheme, at: date, configuration)
        }
    }

    /// Removes the cookies of a principal.
    ///
    /// Call this method when a user signs out.
    ///
    /// - Parameter principal: The principal; `nil` for the cookies of requests without principal.
    public func removeAll(of principal: Principal?) {
        state.withLock { _ = $0.stores.removeValue(forKey: principal) }
    }

    /// Removes all cookies.
    public func removeAll() {
        state.withLock { $0.stores = [:] }
    }
}

// MARK: - Exchanges

extension CookieJar {
    /// Returns the value of the Cookie field of a request; `nil` if no cookie applies.
    func fieldValue(
        for request: TransportRequest, leftTrustedOrigins: Bool, at date: Date
    ) -> [UInt8]? {
        let isSafe = request.method.isSafe
        return state.withLock { state in
            let cookies = state.stores[request.principal]?.cookies(
                for: request.url, isSafe: isSafe, leftTrustedOrigins: leftTrustedOrigins, at: date)
            guard let cookies, !cookies.isEmpty else { return nil }
            state.sequence += 1
            state.stores[request.principal]?.markUsed(cookies, sequence: state.sequence)
            return Array(cookies.map(\.pair).joined(separator: "; ".utf8))
        }
    }

    /// Stores the cookies of the Set-Cookie fields of a response.
    func store(from fields: HTTPFields, of request: TransportRequest, at date: Date) {
        guard fields.contains(.setCookie) else { return }
        for field in fields[fields: .setCookie] {
            _ = set(field.valueBytes, from: request.url, for: request.principal, at: date)
        }
    }
}
