// SPDX-License-Identifier: Apache-2.0

/// The credentials of requests.
public enum AuthenticationDefinition: Sendable, Equatable {
    /// Requests without credentials.
    case none
    /// Bearer tokens (RFC 6750).
    ///
    /// With several tokens, each request uses the one with the largest remaining budget.
    case bearer([Secret])
    /// A key in a header field or in the query.
    case key(KeyCredential)
    /// A user name and a password (RFC 7617).
    case basic(user: Credential, password: Credential)
    /// An access token of the grant `client_credentials` (RFC 6749 §4.4).
    case clientCredentials(OAuthClient)
    /// An access token of a refresh token (RFC 6749 §6).
    ///
    /// If the server rotates refresh tokens, the new one replaces the content of the file; a refresh token
    /// of the environment is then used once, and its successor is kept in memory.
    case refreshToken(Secret, client: OAuthClient)
}

/// A key that is sent with each request, with the name of its header field or parameter.
public struct KeyCredential: Sendable, Equatable {
    /// The place of a key in a request.
    public enum Placement: String, Sendable, Hashable, CaseIterable {
        /// A header field.
        case header
        /// A parameter of the query.
        case query
    }

    /// The name of the header field or parameter.
    public var name: String
    /// The place of the key.
    public var placement: Placement
    /// The keys; each request uses the one with the largest remaining budget.
    public var secrets: [Secret]
    /// The text before the key in a header field, such as `Token `.
    public var prefix: String

    /// Creates a key.
    public init(name: String, in placement: Placement, secrets: [Secret], prefix: String = "") {
        self.name = name
        self.placement = placement
        self.secrets = secrets
        self.prefix = prefix
    }
}

/// A part of credentials: a secret, or a text that is no secret, such as a user name.
public enum Credential: Sendable, Equatable {
    /// A text that is no secret.
    case text(String)
    /// The content of a secret.
    case secret(Secret)
}

/// A client of an OAuth 2.0 authorization server.
public struct OAuthClient: Sendable, Equatable {
    /// The URL of the token endpoint, absolute or relative to the base URL of the API.
    public var tokenURL: String
    /// The identifier of the client; `nil` if the token endpoint requires none.
    public var identifier: Credential?
    /// The secret of the client; `nil` for a public client.
    public var secret: Secret?
    /// The scopes to request.
    public var scopes: [String]

    /// Creates a client.
    public init(
        tokenURL: String, identifier: Credential? = nil, secret: Secret? = nil,
        scopes: [String] = []
    ) {
        self.tokenURL = tokenURL
        self.identifier = identifier
        self.secret = secret
        self.scopes = scopes
    }
}
