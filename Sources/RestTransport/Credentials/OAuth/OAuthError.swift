// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The error response of an OAuth 2 token endpoint.
///
/// - Source: RFC 6749 §5.2.
public struct OAuthError: Error, Sendable, Hashable {
    /// The code of an error response; servers may define others.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as the server sends it.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request lacks a parameter or is malformed.
        public static let invalidRequest = Code(rawValue: "invalid_request")

        /// The client is unknown or its authentication failed.
        public static let invalidClient = Code(rawValue: "invalid_client")

        /// The refresh token is invalid, expired or revoked; the user must sign in again.
        public static let invalidGrant = Code(rawValue: "invalid_grant")

        /// The client may not use this grant.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")

        /// The server does not support the grant.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")

        /// The scope is invalid, unknown or exceeds the granted one.
        public static let invalidScope = Code(rawValue: "invalid_scope")
    }

    /// The code.
    public let code: Code

    /// The status code of the response.
    public let status: Int

    /// The server's text for developers; ``description`` does not contain it, because a server may
    /// quote the request there.
    public let serverDescription: String?

    /// The URI of a page about the error.
    public let uri: String?
}

extension OAuthError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// One line with code and status.
    public var description: String {
        "\(EscapedText.of(String(code.rawValue.prefix(64)))): the token endpoint refused the grant "
            + "with status \(status)"
    }

    /// The ``description``, which is in English.
    public var errorDescription: String? { description }

    /// Code and status.
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code.rawValue, "status": status])
    }
}
