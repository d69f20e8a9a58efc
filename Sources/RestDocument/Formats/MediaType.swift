// SPDX-License-Identifier: Apache-2.0

/// A media type or media range, such as `application/json; charset=utf-8`, `text/*` or
/// `application/*+json`.
///
/// Types, subtypes and the names of parameters do not depend on case and are kept in lower case;
/// the values of parameters are kept as written.
///
/// - Source: RFC 9110 §8.3.1 and §12.5.1; structured suffixes RFC 6838 §4.2.8.
public struct MediaType: Sendable, Hashable {
    /// The part before the slash, `*` in a range over everything.
    public let type: String
    /// The part after the slash, `*` in a range over a type.
    public let subtype: String
    /// The parameters, such as `charset`, by name.
    public let parameters: [String: String]

    /// `application/json`.
    public static let json = MediaType(type: "application", subtype: "json")
    /// `application/x-www-form-urlencoded`.
    public static let formURLEncoded = MediaType(
        type: "application", subtype: "x-www-form-urlencoded")
    /// `*/*`, which every type matches.
    public static let any = MediaType(type: "*", subtype: "*")

    private init(type: String, subtype: String) {
        self.type = type
        self.subtype = subtype
        parameters = [:]
    }

    /// Reads the value of a `Content-Type` field, or one range of an `Accept` field.
    ///
    /// - Returns: `nil` when it is not one; the first of a repeated parameter counts.
    public init?(parsing text: some StringProtocol) {
        var reader = MediaTypeReader(text)
        guard let type = reader.token(), reader.take("/"), let subtype = reader.token() else {
            return nil
        }
        guard type != "*" || subtype.hasPrefix("*") else { return nil }
        guard let parameters = reader.parameters() else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// The type without its parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The part of the subtype after the last plus, such as `json` of `application/problem+json`.
    public var suffix: String? {
        guard let plus = subtype.lastIndex(of: "+") else { return nil }
        let suffix = subtype[subtype.index(after: plus)...]
        return suffix.isEmpty ? nil : String(suffix)
    }

    /// Whether this type is within another one taken as a range.
    ///
    /// A `*` alone matches everything; in a subtype, one `*` stands for any text, also none, as in
    /// `*+json` and `xml+*`. A range with parameters asks for the same ones, whose values compare
    /// without case for `charset` and exactly otherwise; `q` is a weight and not compared. A
    /// range without a suffix also takes types that have its subtype as their suffix:
    /// `application/problem+json` matches `application/json`.
    public func matches(_ range: MediaType) -> Bool {
        guard range.type == "*" || range.type == type else { return false }
        guard range.subtype == suffix || range.takes(subtype: subtype) else { return false }
        return range.parameters.allSatisfy { name, value in
            if name == "q" { return true }
            guard let own = parameters[name] else { return false }
            return name == "charset" ? own.lowercased() == value.lowercased() : own == value
        }
    }

    /// Whether this type is within one of some ranges.
    public func matches(anyOf ranges: some Sequence<MediaType>) -> Bool {
        ranges.contains { matches($0) }
    }

    private func takes(subtype other: String) -> Bool {
        guard let star = subtype.utf8.firstIndex(of: UInt8(ascii: "*")) else {
            return subtype == other
        }
        let (start, end) = (subtype[..<star].utf8, subtype[star...].utf8.dropFirst())
        return other.utf8.count >= start.count + end.count
            && other.utf8.starts(with: start) && other.utf8.suffix(end.count).elementsEqual(end)
    }
}

extension MediaType: ExpressibleByStringLiteral {
    /// Reads a type or range from a literal; a literal that is none is a programmer's error and
    /// traps.
    public init(stringLiteral literal: String) {
        guard let type = MediaType(parsing: literal) else {
            preconditionFailure("\"\(literal)\" is not a media type")
        }
        self = type
    }
}

extension MediaType: CustomStringConvertible {
    /// The type as the value of a field; parameters ordered by name, quoted where they must be.
    public var description: String {
        parameters.sorted { $0.key < $1.key }.reduce("\(type)/\(subtype)") { text, parameter in
            let (name, value) = parameter
            let isToken = !value.isEmpty && value.utf8.allSatisfy(MediaTypeReader.isTokenByte)
            if isToken { return "\(text); \(name)=\(value)" }
            let quoted = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
            return "\(text); \(name)=\"\(quoted)\""
        }
    }
}
