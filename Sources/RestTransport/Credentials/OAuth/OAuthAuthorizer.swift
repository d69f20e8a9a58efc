// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An authorizer that gets bearer tokens from the token endpoint of an OAuth 2 server.
///
/// ```swift
/// let authorizer = try OAuthAuthorizer(
///     tokenURL: HTTPURL(parsing: "https://id.example.com/token"),
///     client: .basic(id: id, secret: secret), grant: .clientCredentials, scope: ["articles.read"])
/// client.interceptors = [AuthorizationInterceptor(authorizer)]
/// ```
///
/// ``AuthorizationInterceptor`` asks for one token at a time, before the current one expires and
/// after a server refuses it. A refused grant is the ``TransportError/underlying`` ``OAuthError`` of
/// an error with code `authorizationFailed`. Descriptions, reflection and dumps show neither tokens
/// nor the secret of the client, and ``LoggingInterceptor`` logs no bodies of token requests.
///
/// - Source: RFC 6749 §4.4, §5, §6.
public struct OAuthAuthorizer: Authorizer {
    /// The URL of the token endpoint.
    public let tokenURL: HTTPURL

    private let client: OAuthClient
    private let grant: OAuthGrant
    private let scope: [String]
    private let parameters: [String: String]
    private let didReceiveToken: (@Sendable (BearerToken, Principal?) async -> Void)?

    /// The maximum number of bytes of a token response.
    private static let responseByteCount = 256 << 10

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - tokenURL: The URL of the token endpoint, with scheme https or a loopback address.
    ///   - client: The identity of the client and its authentication.
    ///   - grant: The grant to exchange for tokens.
    ///   - scope: The requested scopes; none requests the default of the server.
    ///   - parameters: Parameters of the token request in addition to those of the grant, such as
    ///     `audience`.
    ///   - didReceiveToken: A closure that receives each token before its first use. Store its
    ///     ``BearerToken/refreshToken`` there: many servers accept a refresh token only once.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the URL is neither secure nor a
    ///   loopback address.
    public init(
        tokenURL: HTTPURL, client: OAuthClient, grant: OAuthGrant, scope: [String] = [],
        parameters: [String: String] = [:],
        didReceiveToken: (@Sendable (BearerToken, Principal?) async -> Void)? = nil
    ) throws(TransportError) {
        let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]
        guard tokenURL.scheme == .https || loopbackHosts.contains(tokenURL.host) else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "the token endpoint must have an https URL")
        }
        self.tokenURL = tokenURL
        self.client = client
        self.grant = grant
        self.scope = scope
        self.parameters = parameters
        self.didReceiveToken = didReceiveToken
    }

    /// Returns a new token from the token endpoint.
    ///
    /// - Throws: ``OAuthError`` if the server refuses the grant, ``TransportError``, with code
    ///   `malformedResponse` if the response has no bearer token, and the errors of the grant.
    public func credential(
        after previous: BearerToken?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> BearerToken? {
        var items = [("grant_type", grant.type)]
        var refreshToken: String?
        if case .refreshToken(let stored) = grant.storage {
            // A server that replaces refresh tokens has sent the next one with the token.
            if let token = previous?.refreshToken {
                refreshToken = token
            } else {
                refreshToken = try await stored(principal)
            }
            guard let refreshToken else { return nil }
            items.append(("refresh_token", refreshToken))
        }
        if !scope.isEmpty { items.append(("scope", scope.joined(separator: " "))) }
        items += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let date = next.clock.date
        let response = try await next.send(request(items))
        let bytes = try await response.collect(upTo: Self.responseByteCount)
        let received = try OAuthTokenResponse(bytes, of: response)
        let token = BearerToken(
            received.accessToken, expiry: received.lifetime.map { date.addingTimeInterval($0) },
            refreshToken: received.refreshToken ?? refreshToken)
        await didReceiveToken?(token, principal)
        return token
    }

    private func request(_ items: [(String, String)]) -> TransportRequest {
        var items = items
        var request = TransportRequest(method: .post, url: tokenURL)
        client.authenticate(&request, &items)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields[.accept] = "application/json"
        request.body = .bytes(Self.form(items))
        return request
    }

    private static func form(_ items: [(String, String)]) -> [UInt8] {
        var form: [UInt8] = []
        for (name, value) in items {
            if !form.isEmpty { form.append(UInt8(ascii: "&")) }
            PercentEncoding.appendEncoded(name.utf8, to: &form)
            form.append(UInt8(ascii: "="))
            PercentEncoding.appendEncoded(value.utf8, to: &form)
        }
        return form
    }
}

extension OAuthAuthorizer: CustomStringConvertible, CustomReflectable {
    /// The type and the URL of the token endpoint.
    public var description: String { "OAuthAuthorizer \(tokenURL)" }

    /// The URL of the token endpoint; the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["tokenURL": tokenURL.redacted]) }
}
