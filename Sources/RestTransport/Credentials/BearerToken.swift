// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A bearer token, with an optional refresh token.
///
/// Descriptions, reflection and dumps never show either.
///
/// - Source: RFC 6750 §2.1, RFC 9110 §11.4.
public struct BearerToken: RequestCredential, Hashable {
    /// The token.
    public let token: String

    /// The authentication scheme, which precedes the token in the field.
    public let scheme: String

    /// The date when the token expires; `nil` if it is unknown.
    public let expiry: Date?

    /// The token with which an authorizer gets the next one; never sent with requests.
    public let refreshToken: String?

    /// The value of the Authorization field; `nil` if token or scheme is not valid.
    private let fieldValue: String?

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - token: The token, of visible ASCII characters.
    ///   - scheme: The authentication scheme, a token in the sense of HTTP.
    ///   - expiry: The date when the token expires.
    ///   - refreshToken: The token with which an authorizer gets the next one.
    public init(
        _ token: String, scheme: String = "Bearer", expiry: Date? = nil, refreshToken: String? = nil
    ) {
        self.token = token
        self.scheme = scheme
        self.expiry = expiry
        self.refreshToken = refreshToken
        let isAllowed =
            !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && HTTPRequest.Method(scheme) != nil
        fieldValue = isAllowed ? "\(scheme) \(token)" : nil
    }

    /// Sets the Authorization field.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the token is empty or contains
    ///   other than visible ASCII characters, or if the scheme is not a token in the sense of HTTP.
    public func authorize(_ request: inout TransportRequest) throws {
        guard let fieldValue else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "a token or its scheme is empty or contains a character that is not allowed"
            )
        }
        request.headerFields[.authorization] = fieldValue
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    /// The name of the type; tokens are secrets.
    public var description: String { "BearerToken" }

    /// A mirror without children; tokens are secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
