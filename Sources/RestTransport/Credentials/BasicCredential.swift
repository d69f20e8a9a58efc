// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A user name and password for Basic authentication.
///
/// Descriptions, reflection and dumps never show them.
///
/// - Source: RFC 7617.
public struct BasicCredential: RequestCredential, Hashable {
    private let fieldValue: String

    /// Creates a credential, encoded in UTF-8.
    ///
    /// - Parameters:
    ///   - user: The user name, without colon.
    ///   - password: The password; it may be empty.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the user name contains a colon,
    ///   or if either contains a control character.
    public init(user: String, password: String) throws(TransportError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "the user name of a credential contains a colon")
        }
        let text = "\(user):\(password)"
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "a credential contains a control character")
        }
        fieldValue = "Basic \(Data(text.utf8).base64EncodedString())"
    }

    /// Sets the Authorization field.
    public func authorize(_ request: inout TransportRequest) {
        request.headerFields[.authorization] = fieldValue
    }
}

extension BasicCredential: CustomStringConvertible, CustomReflectable {
    /// The name of the type; a credential is a secret.
    public var description: String { "BasicCredential" }

    /// A mirror without children; a credential is a secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
