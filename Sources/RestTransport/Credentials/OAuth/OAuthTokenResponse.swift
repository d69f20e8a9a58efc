// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The response of a token endpoint.
///
/// - Source: RFC 6749 §5.1, §5.2.
struct OAuthTokenResponse {
    /// The access token.
    let accessToken: String

    /// The lifetime of the access token in seconds; `nil` if the server does not send it.
    let lifetime: TimeInterval?

    /// The refresh token that replaces the previous one; `nil` if there is none.
    let refreshToken: String?

    /// Creates a response from its bytes.
    ///
    /// - Throws: ``OAuthError`` for an error response, or ``TransportError`` with code
    ///   `malformedResponse`.
    init(_ bytes: [UInt8], of response: TransportResponse) throws {
        let status = response.status.code
        guard let object = try? JSONDecoder().decode(Object.self, from: Data(bytes)) else {
            throw Self.malformed(response, "status \(status) and no JSON object of its format")
        }
        if !(200..<300).contains(status), let code = object.error {
            throw OAuthError(
                code: OAuthError.Code(rawValue: code), status: status,
                serverDescription: object.errorDescription, uri: object.errorURI)
        }
        guard (200..<300).contains(status), let token = object.accessToken, !token.isEmpty else {
            throw Self.malformed(response, "status \(status) and neither a token nor an error")
        }
        // A server that leaves the type out means this one.
        guard object.tokenType?.asciiLowercased ?? "bearer" == "bearer" else {
            throw Self.malformed(response, "a token that is not a bearer token")
        }
        accessToken = token
        lifetime = object.lifetime?.seconds
        refreshToken = object.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func malformed(
        _ response: TransportResponse, _ reason: String
    ) -> TransportError {
        TransportError(
            .malformedResponse, stage: .receivingBody, request: response.request,
            reason: "the token endpoint responded with \(reason)")
    }

    /// The members of both responses.
    private struct Object: Decodable {
        var accessToken: String?
        var tokenType: String?
        var lifetime: Lifetime?
        var refreshToken: String?
        var error: String?
        var errorDescription: String?
        var errorURI: String?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case lifetime = "expires_in"
            case refreshToken = "refresh_token"
            case error
            case errorDescription = "error_description"
            case errorURI = "error_uri"
        }
    }

    /// A number of seconds, which some servers send as text.
    private struct Lifetime: Decodable {
        /// The seconds, at most a century.
        let seconds: TimeInterval

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number =
                if let text = try? container.decode(String.self) {
                    Double(text)
                } else {
                    try container.decode(Double.self)
                }
            guard let number, number.isFinite else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "expires_in is not a number")
            }
            seconds = min(max(number, 0), 36_525 * 86_400)
        }
    }
}
