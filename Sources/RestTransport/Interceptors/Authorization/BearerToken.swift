// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A token that opens to whoever bears it, with the token for its renewal where there is one.
///
/// Its description shows neither.
///
/// - Source: RFC 6750 §2.1.
public struct BearerToken: RequestCredential, Hashable, CustomStringConvertible, CustomReflectable {
    /// The token.
    public let token: String

    /// When it expires, as far as that is known.
    public let expiry: Date?

    /// What an authorizer gets the next one with; never put on requests.
    public let refreshToken: String?

    private let credential: Credential?

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - token: The token, of visible ASCII characters.
    ///   - expiry: When it expires.
    ///   - refreshToken: What an authorizer gets the next one with.
    public init(_ token: String, expiry: Date? = nil, refreshToken: String? = nil) {
        self.token = token
        self.expiry = expiry
        self.refreshToken = refreshToken
        credential = try? .token(token)
    }

    /// Sets the Authorization field.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` when the token is empty or holds other
    ///   than visible ASCII characters.
    public func authorize(_ request: inout TransportRequest) throws {
        guard let credential else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "the token is empty or holds a character that is not allowed")
        }
        credential.authorize(&request)
    }

    /// Fixed words, as tokens are secret.
    public var description: String { "BearerToken" }

    /// No parts, as tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Credential: RequestCredential {
    /// Sets the Authorization field.
    public func authorize(_ request: inout TransportRequest) {
        request.headerFields[.authorization] = fieldValue
    }
}
