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

    private let fieldValue: AuthorizationValue

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
        fieldValue = AuthorizationValue(
            token.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !token.isEmpty
                ? "Bearer \(token)" : nil)
    }

    /// Sets the Authorization field.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` when the token is empty or holds other
    ///   than visible ASCII characters.
    public func authorize(_ request: inout TransportRequest) throws {
        try fieldValue.set(on: &request)
    }

    /// Fixed words, as tokens are secret.
    public var description: String { "BearerToken" }

    /// No parts, as tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A name and a password.
///
/// Its description shows neither.
///
/// - Source: RFC 7617 §2.
public struct BasicCredential: RequestCredential, Hashable, CustomStringConvertible,
    CustomReflectable
{
    private let fieldValue: AuthorizationValue

    /// Makes a credential.
    ///
    /// - Parameters:
    ///   - user: The name, sent as UTF-8; without colon and control characters.
    ///   - password: The password, sent as UTF-8; without control characters.
    public init(user: String, password: String) {
        let isValid =
            !user.utf8.contains(UInt8(ascii: ":"))
            && "\(user)\(password)".utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        fieldValue = AuthorizationValue(
            isValid
                ? "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" : nil)
    }

    /// Sets the Authorization field.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` when the name holds a colon or either
    ///   holds a control character.
    public func authorize(_ request: inout TransportRequest) throws {
        try fieldValue.set(on: &request)
    }

    /// Fixed words, as passwords are secret.
    public var description: String { "BasicCredential" }

    /// No parts, as passwords are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The Authorization field, built once.
private struct AuthorizationValue: Sendable, Hashable {
    private let field: HTTPField?

    init(_ text: String?) {
        field = text.map { HTTPField(name: .authorization, value: $0) }
    }

    func set(on request: inout TransportRequest) throws(TransportError) {
        guard let field else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "the credential holds a character that is not allowed")
        }
        if request.headerFields.contains(.authorization) {
            request.headerFields[fields: .authorization] = [field]
        } else {
            request.headerFields.append(field)
        }
    }
}
