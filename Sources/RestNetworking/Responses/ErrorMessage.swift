// SPDX-License-Identifier: Apache-2.0

public import RestMapping

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A message in the error response of a server.
///
/// ```swift
/// try api.add(ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: .error))
/// ```
///
/// The representation is text, or an object with the text in its member `message`,
/// `error_description`, `detail`, `title` or `error`, of which the first one counts. The messages of
/// a response are the ``NetworkingError/mappedErrors``, and its localized description joins them.
///
/// - Source: RestKit's `RKErrorMessage`.
public struct ErrorMessage: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public var message: String

    /// Creates a message.
    public init(_ message: String) {
        self.message = message
    }

    /// The text.
    public var description: String { message }
}

extension ErrorMessage: LocalizedError {
    /// The text.
    public var errorDescription: String? { message }
}

extension ErrorMessage: MappableCodable {
    private enum Member: String, CodingKey, CaseIterable {
        case message
        case errorDescription = "error_description"
        case detail
        case title
        case error
    }

    /// Creates a message from text, or from an object with a member that is text.
    public init(from decoder: any Decoder) throws {
        if let message = try? decoder.singleValueContainer().decode(String.self) {
            self.init(message)
            return
        }
        let members = try decoder.container(keyedBy: Member.self)
        for member in Member.allCases {
            guard let message = try? members.decodeIfPresent(String.self, forKey: member) else {
                continue
            }
            self.init(message)
            return
        }
        throw DecodingError.keyNotFound(
            Member.message,
            DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "no member is a message"))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(message)
    }
}
