// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A credential that authenticates requests.
///
/// ``BasicCredential`` and ``BearerToken`` cover the common schemes. Other credentials add what
/// their server requires:
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
/// Set a credential that does not change as ``HTTPClient/credential``. An ``Authorizer`` provides
/// credentials that are renewed.
public protocol RequestCredential: Sendable {
    /// The date when the credential expires; `nil`, the default, if it is unknown.
    var expiry: Date? { get }

    /// Adds the credential to a request.
    ///
    /// The client or an ``AuthorizationInterceptor`` calls this method each time it sends the
    /// request, so a signature may include the time.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the credential cannot be
    ///   represented in a request.
    func authorize(_ request: inout TransportRequest) throws
}

extension RequestCredential {
    /// `nil`: the date is unknown.
    public var expiry: Date? { nil }
}
