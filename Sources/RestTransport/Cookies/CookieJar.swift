// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the cookies that servers set and gives them back to them, for one client.
///
/// A client has no jar unless it is given one; its copies share it, other clients have their own.
/// What is set in an answer to one ``Principal`` is never sent for another. A request that has a
/// Cookie field of its own gets no cookie from the jar, and an answer from the cache sets none.
///
/// ```swift
/// client.cookieJar = CookieJar()
/// ```
///
/// RFC 6265bis holds, and more strictly in one place: a cookie without `Domain` belongs to the
/// origin that set it, so that it goes neither to another port of the host nor from http to https.
/// A redirect that comes from another site does not make requests carry `SameSite=Strict` cookies,
/// and requests with an unsafe method no `Lax` ones. Everything is kept in memory only.
public final class CookieJar: Sendable {
    private struct State {
        var sequence: UInt64 = 0
        var shelves: [Principal?: CookieShelf] = [:]
    }

    /// What the jar takes.
    public let configuration: CookieConfiguration

    private let state = Mutex(State())

    /// Makes an empty jar.
    ///
    /// - Parameter configuration: What the jar takes.
    public init(configuration: CookieConfiguration = CookieConfiguration()) {
        self.configuration = configuration
    }

    /// The cookies that a safe request to an address carries, in their order; looking counts as no
    /// use.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - principal: Whose cookies.
    ///   - date: The time of the request.
    /// - Returns: The cookies.
    /// - Complexity: O(*n* log *n*) in the number of cookies of the host and the domains above it.
    public func cookies(
        for url: HTTPURL, of principal: Principal? = nil, at date: Date = Date()
    ) -> [Cookie] {
        state.withLock { state in
            state.shelves[principal]?.cookies(for: url, isSafe: true, isAstray: false, at: date)
                ?? []
        }
    }

    /// Takes the cookie of a Set-Cookie field, as if an address had answered with it.
    ///
    /// A cookie whose time is over takes the one away that it replaces.
    ///
    /// - Parameters:
    ///   - field: The field's value.
    ///   - url: The address.
    ///   - principal: Whose cookie.
    ///   - date: The time of the answer.
    /// - Returns: Whether the field was accepted.
    @discardableResult
    public func set(
        _ field: String, from url: HTTPURL, for principal: Principal? = nil, at date: Date = Date()
    ) -> Bool {
        guard let field = SetCookieField(parsing: field) else { return false }
        return state.withLock { state in
            state.sequence += 1
            guard
                let cookie = CookieRules.cookie(
                    field, from: url, at: date, configuration, sequence: state.sequence)
            else { return false }
            return state.shelves[principal, default: CookieShelf()].keep(
                cookie, from: url.scheme, at: date, configuration)
        }
    }

    /// Forgets the cookies of a principal, as after signing out.
    ///
    /// - Parameter principal: Whose cookies; `nil` for those of requests without principal.
    public func removeAll(of principal: Principal?) {
        state.withLock { _ = $0.shelves.removeValue(forKey: principal) }
    }

    /// Forgets everything.
    public func removeAll() {
        state.withLock { $0.shelves = [:] }
    }
}

// MARK: - Exchanges

extension CookieJar {
    /// The Cookie field of a request; `nil` when there is no cookie for it.
    func field(for request: TransportRequest, isAstray: Bool, at date: Date) -> String? {
        let isSafe = HTTPRequest.Method.safe.contains(request.method)
        return state.withLock { state in
            let cookies = state.shelves[request.principal]?.cookies(
                for: request.url, isSafe: isSafe, isAstray: isAstray, at: date)
            guard let cookies, !cookies.isEmpty else { return nil }
            state.sequence += 1
            state.shelves[request.principal]?.use(cookies, sequence: state.sequence)
            return cookies.map(\.pair).joined(separator: "; ")
        }
    }

    /// Takes what a server set.
    func take(_ fields: HTTPFields, answering request: TransportRequest, at date: Date) {
        guard fields.contains(.setCookie) else { return }
        for field in fields[values: .setCookie] {
            set(field, from: request.url, for: request.principal, at: date)
        }
    }
}

extension HTTPRequest.Method {
    /// The methods that ask for nothing to be changed (RFC 9110 §9.2.1).
    fileprivate static let safe: Set<HTTPRequest.Method> = [.get, .head, .options, .trace]
}
