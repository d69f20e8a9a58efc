// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A user's name and password.
///
/// No description, reflection or dump shows any part of it.
///
/// - Source: RFC 7617.
public struct BasicCredential: RequestCredential, Hashable {
    private let fieldValue: String

    /// Makes a credential, in UTF-8.
    ///
    /// - Parameters:
    ///   - user: The name; it holds no colon.
    ///   - password: The password; it may be empty.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the name holds a colon or either
    ///   holds a control character.
    public init(user: String, password: String) throws(TransportError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "the user's name of a credential holds a colon")
        }
        let text = "\(user):\(password)"
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw TransportError(
                .invalidRequest, stage: .preparing, reason: "a credential holds a control character"
            )
        }
        fieldValue = "Basic \(Data(text.utf8).base64EncodedString())"
    }

    /// Sets the Authorization field.
    public func authorize(_ request: inout TransportRequest) {
        request.headerFields[.authorization] = fieldValue
    }
}

extension BasicCredential: CustomStringConvertible, CustomReflectable {
    /// Fixed words, as a credential is a secret.
    public var description: String { "BasicCredential" }

    /// Nothing, as a credential is a secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
