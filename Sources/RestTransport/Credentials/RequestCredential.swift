// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What shows a server who sends a request.
///
/// ``BasicCredential`` and ``BearerToken`` are the usual ones; others put on a request whatever
/// their server wants:
///
/// ```swift
/// struct APIKey: RequestCredential {
///     let key: String
///     func authorize(_ request: inout TransportRequest) throws {
///         try request.setHeader(key, for: "X-Api-Key")
///     }
/// }
/// ```
///
/// One that does not change is the client's ``HTTPClient/credential``; one that is renewed comes
/// from an ``Authorizer``.
public protocol RequestCredential: Sendable {
    /// When it stops being accepted, as far as that is known; `nil` by default.
    var expiry: Date? { get }

    /// Puts the credential on a request.
    ///
    /// Called once for each time the client or an ``AuthorizationInterceptor`` passes the request
    /// on, so a signature may hold the time.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` when the credential cannot be
    ///   expressed.
    func authorize(_ request: inout TransportRequest) throws
}

extension RequestCredential {
    /// Nothing is known.
    public var expiry: Date? { nil }
}
