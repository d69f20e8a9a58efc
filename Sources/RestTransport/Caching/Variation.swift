// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Which of several responses under one key a request selects.
///
/// The fields that `Vary` names are kept as digests of their normalised values, as they may hold
/// secrets. An absent field is kept absent and differs from an empty one.
///
/// - Source: RFC 9111 §4.1.
package enum Variation {
    /// The names in the `Vary` fields of a response, or `nil` when no request ever selects it again:
    /// for `*`, and for what is no name.
    package static func fieldNames(of head: HTTPResponse) -> [HTTPField.Name]? {
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

    /// The digests of a request's fields that a response's `Vary` names, `nil` when no request ever
    /// selects the response again.
    package static func fields(
        of request: TransportRequest, selecting head: HTTPResponse
    ) -> HTTPFields? {
        guard let names = fieldNames(of: head) else { return nil }
        var fields = HTTPFields()
        for name in names where !fields.contains(name) {
            fields[name] = digest(of: name, in: request.headerFields)
        }
        return fields
    }

    /// Whether a request selects a stored response.
    package static func selects(_ entry: CacheEntry, _ request: TransportRequest) -> Bool {
        guard let names = fieldNames(of: entry.head) else { return false }
        return names.allSatisfy { name in
            entry.requestFields[name] == digest(of: name, in: request.headerFields)
        }
    }

    private static func digest(of name: HTTPField.Name, in fields: HTTPFields) -> String? {
        let values = fields[values: name]
        guard !values.isEmpty else { return nil }
        return SHA256.hexadecimalDigest(of: normalised(values, of: name))
    }

    /// The value with what never changes its meaning taken out: how it is spread over lines, blanks
    /// around commas and, of languages, case and an order that their weights do not mean.
    private static func normalised(_ values: [String], of name: HTTPField.Name) -> [UInt8] {
        let value = values.joined(separator: name == .cookie ? "; " : ",")
        guard name != .cookie, name != .authorization else { return Array(value.utf8) }
        let members = listMembers(of: Array(value.utf8))
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

    /// The parts between commas outside quotes, without the blanks at their ends.
    private static func listMembers(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var (start, position, isQuoted) = (0, 0, false)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: position += 1
            case UInt8(ascii: ",") where !isQuoted:
                members.append(Array(bytes[start..<position].trimmingBlanks()))
                start = position + 1
            default: break
            }
            position += 1
        }
        members.append(Array(bytes[min(start, bytes.count)...].trimmingBlanks()))
        return members
    }

    /// The weight of a language range, from 0 to 1000.
    private static func weight(of language: [UInt8]) -> Int {
        guard let mark = language.firstRange(of: Array(";q=".utf8)) else { return 1000 }
        let text = String(decoding: language[mark.upperBound...], as: UTF8.self)
        return Int(((Double(text) ?? 0) * 1000).rounded())
    }
}
