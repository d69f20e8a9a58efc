// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The identity of a client at an OAuth 2 server, and its authentication.
///
/// - Source: RFC 6749 §2.3.
public struct OAuthClient: Sendable, Hashable {
    private enum Method: Sendable, Hashable {
        case basic(secret: String)
        case form(secret: String)
        case none
    }

    /// The client identifier.
    public let id: String

    private let method: Method

    /// Returns a client that authenticates with Basic authentication, which every server supports.
    public static func basic(id: String, secret: String) -> OAuthClient {
        OAuthClient(id: id, method: .basic(secret: secret))
    }

    /// Returns a client that authenticates with `client_id` and `client_secret` in the form.
    public static func form(id: String, secret: String) -> OAuthClient {
        OAuthClient(id: id, method: .form(secret: secret))
    }

    /// Returns a client without a secret, such as an app on a user's device.
    public static func `public`(id: String) -> OAuthClient {
        OAuthClient(id: id, method: .none)
    }

    /// Adds the authentication to a token request.
    func authenticate(_ request: inout TransportRequest, _ items: inout [(String, String)]) {
        switch method {
        case .basic(let secret):
            var pair: [UInt8] = []
            PercentEncoding.appendEncoded(id.utf8, to: &pair)
            pair.append(UInt8(ascii: ":"))
            PercentEncoding.appendEncoded(secret.utf8, to: &pair)
            request.headerFields[.authorization] = "Basic \(Data(pair).base64EncodedString())"
        case .form(let secret):
            items += [("client_id", id), ("client_secret", secret)]
        case .none:
            items.append(("client_id", id))
        }
    }
}

extension OAuthClient: CustomStringConvertible, CustomReflectable {
    /// The client identifier; the authentication is a secret.
    public var description: String { "OAuthClient \(id)" }

    /// The client identifier; the authentication is a secret.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
