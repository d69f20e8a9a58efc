// SPDX-License-Identifier: Apache-2.0

/// A media type or media range, such as `application/json; charset=utf-8`, `text/*` or
/// `application/*+json`.
///
/// Types, subtypes and parameter names are case-insensitive and stored in lower case. Parameter
/// values are stored as written.
///
/// - Source: RFC 9110 §8.3.1 and §12.5.1; structured suffixes RFC 6838 §4.2.8.
public struct MediaType: Sendable, Hashable {
    /// The part before the slash; `*` in a range over all types.
    public let type: String
    /// The part after the slash; `*` in a range over all subtypes of a type.
    public let subtype: String
    /// The values of the parameters, such as `charset`, by name.
    public let parameters: [String: String]

    /// `application/json`.
    public static let json = MediaType(type: "application", subtype: "json")
    /// `application/jsonl`: JSON Lines, one value per line.
    public static let jsonLines = MediaType(type: "application", subtype: "jsonl")
    /// `application/x-www-form-urlencoded`.
    public static let formURLEncoded = MediaType(
        type: "application", subtype: "x-www-form-urlencoded")
    /// The range `*/*`, which includes every type.
    public static let any = MediaType(type: "*", subtype: "*")

    private init(type: String, subtype: String, parameters: [String: String] = [:]) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Creates a media type from the value of a `Content-Type` field, or from one range of an
    /// `Accept` field; `nil` if the text is malformed.
    ///
    /// The first occurrence of a repeated parameter counts.
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

    /// Creates a media type from the value of a `Content-Type` field as servers write it; `nil` if it
    /// contains no media type.
    ///
    /// Malformed parameters, such as `charset=` without a value, are left out. Of a list, as of a
    /// repeated field, the last media type counts, with the `charset` of an equal one before it.
    ///
    /// - Source: WHATWG Fetch, "extract a MIME type"; RFC 9110 §8.3.
    public init?(received text: some StringProtocol) {
        if text == "application/json" {
            self = .json
            return
        }
        var reader = MediaTypeReader(text)
        var found: MediaType?
        while let next = reader.listElement() {
            guard case let (type, subtype, parameters)? = next, type != "*" else { continue }
            var element = MediaType(type: type, subtype: subtype, parameters: parameters)
            if let found, found.essence == element.essence, parameters["charset"] == nil,
                let charset = found.parameters["charset"]
            {
                element = MediaType(
                    type: type, subtype: subtype,
                    parameters: parameters.merging(["charset": charset]) { own, _ in own })
            }
            found = element
        }
        guard let found else { return nil }
        self = found
    }

    /// The type and subtype, without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The part of the subtype after the last plus sign, such as `json` in
    /// `application/problem+json`.
    public var suffix: String? {
        guard let plus = subtype.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        let suffix = subtype[subtype.utf8.index(after: plus)...]
        return suffix.isEmpty ? nil : String(suffix)
    }

    /// Returns a Boolean value that indicates whether a range includes this type.
    ///
    /// A `*` alone matches everything. In a subtype, one `*` matches any text, also the empty text,
    /// as in `*+json` and `xml+*`. All parameters of the range must be present in the type; values
    /// of `charset` compare case-insensitively, other values exactly, and `q` is a weight that is
    /// not compared. A range without a suffix also includes types with its subtype as their suffix:
    /// `application/json` includes `application/problem+json`.
    public func matches(_ range: MediaType) -> Bool {
        guard range.type == "*" || range.type == type else { return false }
        guard range.subtype == suffix || range.includes(subtype: subtype) else { return false }
        return range.parameters.allSatisfy { name, value in
            if name == "q" { return true }
            guard let own = parameters[name] else { return false }
            return name == "charset" ? own.lowercased() == value.lowercased() : own == value
        }
    }

    /// Returns a Boolean value that indicates whether at least one of the ranges includes this
    /// type.
    public func matches(anyOf ranges: some Sequence<MediaType>) -> Bool {
        ranges.contains { matches($0) }
    }

    private func includes(subtype other: String) -> Bool {
        guard let star = subtype.utf8.firstIndex(of: UInt8(ascii: "*")) else {
            return subtype == other
        }
        let (start, end) = (subtype[..<star].utf8, subtype[star...].utf8.dropFirst())
        return other.utf8.count >= start.count + end.count
            && other.utf8.starts(with: start) && other.utf8.suffix(end.count).elementsEqual(end)
    }
}

extension MediaType: ExpressibleByStringLiteral {
    /// Creates a media type from a literal.
    ///
    /// A malformed literal is a programming error and traps.
    public init(stringLiteral literal: String) {
        guard let type = MediaType(parsing: literal) else {
            preconditionFailure("\"\(literal)\" is not a media type")
        }
        self = type
    }
}

extension MediaType: CustomStringConvertible {
    /// The value of a header field.
    ///
    /// Parameters are sorted by name and quoted where necessary.
    public var description: String {
        parameters.sorted { $0.key < $1.key }.reduce("\(type)/\(subtype)") { text, parameter in
            let (name, value) = parameter
            let isToken = !value.isEmpty && value.utf8.allSatisfy(MediaTypeReader.isTokenByte)
            if isToken { return "\(text); \(name)=\(value)" }
            // A combining character does not change that the quotation mark before it ends the text.
            let quoted = value.unicodeScalars.reduce(into: "") { quoted, scalar in
                if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
                quoted.unicodeScalars.append(scalar)
            }
            return "\(text); \(name)=\"\(quoted)\""
        }
    }
}
