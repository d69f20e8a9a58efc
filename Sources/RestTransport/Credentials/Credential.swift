// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What proves to a server who asks: the value of an Authorization field.
///
/// ```swift
/// client.credential = try .basic(user: name, password: password)
/// client.credential = try .token(token)
/// ```
///
/// No description, reflection or dump of a credential shows any part of it.
public struct Credential: Sendable, Hashable {
    /// The value of the Authorization field.
    package let fieldValue: String

    private init(fieldValue: String) {
        self.fieldValue = fieldValue
    }

    /// A user's name and password.
    ///
    /// - Parameters:
    ///   - user: The name; it holds no colon.
    ///   - password: The password; it may be empty.
    /// - Returns: The credential, in UTF-8.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the name holds a colon or either
    ///   holds a control character.
    /// - Source: RFC 7617.
    public static func basic(
        user: String, password: String
    ) throws(TransportError) -> Credential {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw refusal("the user's name of a credential holds a colon")
        }
        let text = "\(user):\(password)"
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw refusal("a credential holds a control character")
        }
        return Credential(fieldValue: "Basic \(Data(text.utf8).base64EncodedString())")
    }

    /// A token that a server has handed out.
    ///
    /// - Parameters:
    ///   - token: The token, visible ASCII characters.
    ///   - scheme: The word before it.
    /// - Returns: The credential.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the token is empty or holds a
    ///   blank, a control character or one beyond ASCII, or the scheme is not a token of HTTP.
    /// - Source: RFC 6750 §2.1, RFC 9110 §11.4.
    public static func token(
        _ token: String, scheme: String = "Bearer"
    ) throws(TransportError) -> Credential {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refusal("a token is empty or holds a character that is not allowed")
        }
        guard HTTPRequest.Method(scheme) != nil else {
            throw refusal("the scheme of a credential is not a token")
        }
        return Credential(fieldValue: "\(scheme) \(token)")
    }

    private static func refusal(_ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, reason: reason)
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    /// Fixed words, as a credential is a secret.
    public var description: String { "Credential" }

    /// Nothing, as a credential is a secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
