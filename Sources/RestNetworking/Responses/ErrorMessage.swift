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
/// The representation is one of the following; the first one that fits counts:
///
/// - text, or a list of texts;
/// - an object with such a text in `message`, `error_description`, `detail` or `msg`;
/// - an object with a representation of a message, or with a list of them, in `errors`, `error` or
///   `detail`;
/// - an object with text in `title`;
/// - an object with the messages for each field, as of Rails, Laravel, Django and ASP.NET:
///   `{"title": ["can't be blank"]}`.
///
/// An object with a message can have the messages for each field in its `errors`, and with `msg` the
/// path of the field in `loc`, as of FastAPI. The messages of a response are the
/// ``NetworkingError/mappedErrors``, and its localized description joins them.
///
/// - Source: RestKit's `RKErrorMessage`, for text and the members.
public struct ErrorMessage: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text.
    ///
    /// It begins with the name of the field if the server sends that beside the message.
    public var message: String

    /// The messages of the server for each field of the request; empty if it names none.
    public var fields: [String: [String]]

    /// Creates a message.
    public init(_ message: String, fields: [String: [String]] = [:]) {
        self.message = message
        self.fields = fields
    }

    /// The text.
    public var description: String { message }
}

extension ErrorMessage: LocalizedError {
    /// The text.
    public var errorDescription: String? { message }
}

extension ErrorMessage: MappableCodable {
    /// A key of an object whose keys are not known.
    private struct Member: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringLiteral: String) { stringValue = stringLiteral }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private typealias Members = KeyedDecodingContainer<Member>

    /// Creates a message from its representation.
    public init(from decoder: any Decoder) throws {
        if let text = Self.text(try? decoder.singleValueContainer()) {
            self.init(text)
            return
        }
        let members = try decoder.container(keyedBy: Member.self)
        if let message = Self.message(of: members) ?? Self.message(ofFields: members) {
            self = message
            return
        }
        throw DecodingError.keyNotFound(
            Member("message"),
            DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: "no member is a message"))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(message)
    }

    private init(_ text: String, at field: String) {
        if field.isEmpty {
            self.init(text)
        } else {
            self.init("\(field): \(text)", fields: [field: [text]])
        }
    }

    private static func text(_ container: (any SingleValueDecodingContainer)?) -> String? {
        (try? container?.decode(String.self))
            ?? (try? container?.decode([String].self)).flatMap(joined)
    }

    private static func text(_ member: Member, of members: Members) -> String? {
        (try? members.decodeIfPresent(String.self, forKey: member))
            ?? (try? members.decodeIfPresent([String].self, forKey: member)).flatMap(joined)
    }

    private static func joined(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// Returns the message in the usual members of an object.
    private static func message(of members: Members) -> ErrorMessage? {
        let texts: [Member] = ["message", "error_description", "detail", "msg"]
        for member in texts {
            guard let text = text(member, of: members) else { continue }
            if member.stringValue == "msg" {
                return ErrorMessage(text, at: location(in: members))
            }
            let fields = try? members.nestedContainer(keyedBy: Member.self, forKey: "errors")
            return ErrorMessage(text, fields: fields.flatMap(self.fields)?.byName ?? [:])
        }
        let nested: [Member] = ["errors", "error", "detail"]
        for member in nested where text(member, of: members) == nil {
            if let message = try? members.decodeIfPresent(ErrorMessage.self, forKey: member) {
                return message
            }
            let list = try? members.decodeIfPresent([ErrorMessage].self, forKey: member)
            if let list, !list.isEmpty {
                return ErrorMessage(
                    list.map(\.message).joined(separator: ", "),
                    fields: list.reduce(into: [:]) { $0.merge($1.fields, uniquingKeysWith: +) })
            }
        }
        // A list in `title` has the messages for a field of that name.
        let title = try? members.decodeIfPresent(String.self, forKey: "title")
        let other = title ?? text("errors", of: members) ?? text("error", of: members)
        return other.map { ErrorMessage($0) }
    }

    /// Returns the path of the field in `loc`, without the part of the request that has it.
    private static func location(in members: Members) -> String {
        guard var list = try? members.nestedUnkeyedContainer(forKey: "loc") else { return "" }
        var path: [String] = []
        while !list.isAtEnd {
            if let name = try? list.decode(String.self) {
                path.append(name)
            } else if let index = try? list.decode(Int.self) {
                path.append("\(index)")
            } else {
                return ""
            }
        }
        let hasPart =
            path.count > 1 && ["body", "query", "path", "header", "cookie"].contains(path[0])
        return path.dropFirst(hasPart ? 1 : 0).joined(separator: ".")
    }

    /// Returns the messages of an object whose members are fields with lists of messages.
    private static func fields(
        of members: Members
    ) -> (byName: [String: [String]], text: String)? {
        var byName: [String: [String]] = [:]
        var texts: [String] = []
        for member in members.allKeys {
            guard let messages = try? members.decode([String].self, forKey: member) else {
                return nil
            }
            byName[member.stringValue] = messages
            let isWhole = ["", "base", "non_field_errors"].contains(member.stringValue)
            texts += messages.map { isWhole ? $0 : "\(member.stringValue) \($0)" }
        }
        return joined(texts).map { (byName, $0) }
    }

    private static func message(ofFields members: Members) -> ErrorMessage? {
        fields(of: members).map { ErrorMessage($0.text, fields: $0.byName) }
    }
}
