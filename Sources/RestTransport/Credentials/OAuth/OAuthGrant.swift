// SPDX-License-Identifier: Apache-2.0

/// The grant that an ``OAuthAuthorizer`` exchanges for tokens.
public struct OAuthGrant: Sendable {
    enum Storage: Sendable {
        case clientCredentials
        case refreshToken(@Sendable (Principal?) async throws -> String?)
    }

    let storage: Storage

    /// The client's own credentials: tokens belong to the client and not to a user.
    ///
    /// - Source: RFC 6749 §4.4.
    public static let clientCredentials = OAuthGrant(storage: .clientCredentials)

    /// Returns the grant of a refresh token, which is used until the server replaces it.
    ///
    /// - Parameters:
    ///   - token: The refresh token.
    ///   - principal: The principal that the token belongs to; other principals get no credential.
    /// - Returns: The grant.
    /// - Source: RFC 6749 §6.
    public static func refreshToken(_ token: String, of principal: Principal? = nil) -> OAuthGrant {
        refreshToken { $0 == principal ? token : nil }
    }

    /// Returns the grant of refresh tokens that the application stores.
    ///
    /// - Parameter token: A closure that returns the refresh token of a principal, or `nil` if
    ///   there is none. It is called if the interceptor has no token of the principal.
    /// - Returns: The grant.
    /// - Source: RFC 6749 §6.
    public static func refreshToken(
        _ token: @escaping @Sendable (Principal?) async throws -> String?
    ) -> OAuthGrant {
        OAuthGrant(storage: .refreshToken(token))
    }

    var type: String {
        switch storage {
        case .clientCredentials: "client_credentials"
        case .refreshToken: "refresh_token"
        }
    }
}

extension OAuthGrant: CustomStringConvertible, CustomReflectable {
    /// The type of the grant; refresh tokens are secrets.
    public var description: String { "OAuthGrant \(type)" }

    /// The type of the grant; refresh tokens are secrets.
    public var customMirror: Mirror { Mirror(self, children: ["type": type]) }
}
