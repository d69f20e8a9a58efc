// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A token that opens to whoever bears it, with the token for its renewal where there is one.
///
/// No description, reflection or dump shows either.
///
/// - Source: RFC 6750 §2.1, RFC 9110 §11.4.
public struct BearerToken: RequestCredential, Hashable {
    /// The token.
    public let token: String

    /// The word before it.
    public let scheme: String

    /// When it expires, as far as that is known.
    public let expiry: Date?

    /// What an authorizer gets the next one with; never put on requests.
    public let refreshToken: String?

    /// Nothing when it cannot be put on requests.
    private let fieldValue: String?

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - token: The token, of visible ASCII characters.
    ///   - scheme: The word before it, a token of HTTP.
    ///   - expiry: When it expires.
    ///   - refreshToken: What an authorizer gets the next one with.
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
    /// - Throws: ``TransportError`` with code `invalidRequest` when the token is empty or holds other
    ///   than visible ASCII characters, or the scheme is not a token of HTTP.
    public func authorize(_ request: inout TransportRequest) throws {
        guard let fieldValue else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "a token or its scheme is empty or holds a character that is not allowed")
        }
        request.headerFields[.authorization] = fieldValue
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    /// Fixed words, as tokens are secret.
    public var description: String { "BearerToken" }

    /// No parts, as tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
