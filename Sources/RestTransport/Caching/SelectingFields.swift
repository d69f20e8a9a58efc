// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestSyntax

/// The selecting header fields of stored responses: the request fields that `Vary` names.
///
/// They are stored as digests of their normalized values, because they may hold secrets. An absent
/// field stays absent and differs from an empty one.
///
/// - Source: RFC 9111 §4.1.
package enum SelectingFields {
    /// Returns the names in the `Vary` fields of a response, or `nil` if no later request can
    /// match, because of `*` or an invalid name.
    package static func names(of head: HTTPResponse) -> [HTTPField.Name]? {
        guard head.headerFields.contains(.vary) else { return [] }
        var names: [HTTPField.Name] = []
        for field in head.headerFields where field.name == .vary {
            for member in field.value.split(separator: ",") {
                let text = member.utf8.drop { $0.isBlank }
                guard !text.isEmpty else { continue }
                let end = text.lastIndex { !$0.isBlank } ?? text.startIndex
                guard let trimmed = String(text[...end]), trimmed != "*",
                    let name = HTTPField.Name(trimmed)
                else { return nil }
                names.append(name)
            }
        }
        return names
    }

    /// Returns the digests of the request fields that the `Vary` of a response names, or `nil` if
    /// no later request can match.
    package static func digests(
        of request: TransportRequest, for head: HTTPResponse
    ) -> HTTPFields? {
        guard let names = names(of: head) else { return nil }
        var fields = HTTPFields()
        for name in names where !fields.contains(name) {
            fields[name] = digest(of: name, in: request.headerFields)
        }
        return fields
    }

    /// Returns a Boolean value that indicates whether the selecting header fields of a stored
    /// response match a request.
    package static func match(_ entry: CacheEntry, _ request: TransportRequest) -> Bool {
        guard let names = names(of: entry.head) else { return false }
        return names.allSatisfy { name in
            entry.selectingFields[name] == digest(of: name, in: request.headerFields)
        }
    }

    private static func digest(of name: HTTPField.Name, in fields: HTTPFields) -> String? {
        let values = fields[fields: name].map(\.valueBytes)
        guard !values.isEmpty else { return nil }
        return SHA256.hexadecimalDigest(of: normalized(values, of: name))
    }

    /// Returns a value without differences that have no meaning: field lines, whitespace around
    /// commas and, in Accept-Language, case and the order of languages with different weights.
    ///
    /// - Source: RFC 9111 §4.1.
    private static func normalized(_ values: [[UInt8]], of name: HTTPField.Name) -> [UInt8] {
        let value = Array(values.joined(separator: (name == .cookie ? "; " : ",").utf8))
        guard name != .cookie, name != .authorization else { return value }
        let members = listMembers(of: value)
        guard name == .acceptLanguage else { return Array(members.joined(separator: [0x2C])) }
        let languages = members.filter { !$0.isEmpty }.map { member in
            member.filter { !$0.isBlank }.map(\.asciiLowercased)
        }
        let weighted = languages.enumerated().map { position, language in
            (language, weight(of: language), position)
        }
        let ordered = weighted.sorted { ($1.1, $0.2) < ($0.1, $1.2) }
        return Array(ordered.map(\.0).joined(separator: [0x2C]))
    }

    /// Returns the list members between commas outside of quotes, without surrounding whitespace.
    private static func listMembers(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var (start, position, isQuoted) = (0, 0, false)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: position += 1
            case UInt8(ascii: ",") where !isQuoted:
                members.append(Array(bytes[start..<position].trimmingWhitespace()))
                start = position + 1
            default: break
            }
            position += 1
        }
        members.append(Array(bytes[min(start, bytes.count)...].trimmingWhitespace()))
        return members
    }

    /// Returns the weight of a language range, from 0 to 1000.
    private static func weight(of language: [UInt8]) -> Int {
        guard let mark = language.firstRange(of: Array(";q=".utf8)) else { return 1000 }
        let text = String(decoding: language[mark.upperBound...], as: UTF8.self)
        return Int(((Double(text) ?? 0) * 1000).rounded())
    }
}
