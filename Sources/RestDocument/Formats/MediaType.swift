// SPDX-License-Identifier: Apache-2.0

/// A media type or media range, such as `application/json; charset=utf-8` or `text/*`.
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
    public init?(_ text: some StringProtocol) {
        var reader = MediaTypeReader(text)
        guard let type = reader.token(), reader.take("/"), let subtype = reader.token() else {
            return nil
        }
        guard type != "*" || subtype == "*" else { return nil }
        guard let parameters = reader.parameters() else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// The part of the subtype after the last plus, such as `json` of `application/problem+json`.
    public var suffix: String? {
        guard let plus = subtype.lastIndex(of: "+") else { return nil }
        let suffix = subtype[subtype.index(after: plus)...]
        return suffix.isEmpty ? nil : String(suffix)
    }

    /// Whether this type is within another one taken as a range.
    ///
    /// `*` matches everything. A range with parameters asks for the same ones, whose values compare
    /// without case for `charset` and exactly otherwise; `q` is a weight and not compared. A
    /// range without a suffix also takes types that have its subtype as their suffix:
    /// `application/problem+json` matches `application/json`.
    public func matches(_ range: MediaType) -> Bool {
        guard range.type == "*" || range.type == type else { return false }
        guard range.subtype == "*" || range.subtype == subtype || range.subtype == suffix else {
            return false
        }
        return range.parameters.allSatisfy { name, value in
            if name == "q" { return true }
            guard let own = parameters[name] else { return false }
            return name == "charset" ? own.lowercased() == value.lowercased() : own == value
        }
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

/// Reads a media type byte by byte.
private struct MediaTypeReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        skipBlanks()
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    mutating func token() -> String? {
        let start = position
        while position < bytes.count, Self.isTokenByte(bytes[position]) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    /// Reads `; name=value` to the end; empty parameters are passed over.
    mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        while true {
            skipBlanks()
            if position == bytes.count { return parameters }
            guard take(";") else { return nil }
            skipBlanks()
            if position == bytes.count || bytes[position] == UInt8(ascii: ";") { continue }
            guard let name = token()?.lowercased(), take("="), let value = token() ?? quoted()
            else { return nil }
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    private mutating func quoted() -> String? {
        guard take("\"") else { return nil }
        var value: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                byte = bytes[position]
                position += 1
            }
            guard byte >= 0x20 || byte == 0x09, byte != 0x7F else { return nil }
            value.append(byte)
        }
        return nil
    }

    private mutating func skipBlanks() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 {
            position += 1
        }
    }
}
