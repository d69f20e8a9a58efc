// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The links of a response's `Link` header.
///
/// Malformed input never fails: the links up to the first fault are kept, as the algorithm of the
/// standard has it.
///
/// - Source: RFC 8288 §3 and appendix B.
public struct LinkField: Sendable, Hashable {
    /// One link.
    public struct Link: Sendable, Hashable {
        /// Where it leads: an absolute or relative reference, as written.
        public var target: String
        /// Its relations, in lower case; a link may have several, or none.
        public var relations: [String]
        /// All its parameters in order, names in lower case.
        public var parameters: [Parameter]

        /// The value of the first parameter of a name.
        public subscript(parameter: String) -> String? {
            parameters.first { $0.name == parameter }?.value
        }
    }

    /// One parameter of a link.
    public struct Parameter: Sendable, Hashable {
        /// Its name, in lower case.
        public var name: String
        /// Its value without quotes and escapes; empty if it has none.
        public var value: String
    }

    /// The links in the order of the header.
    public var links: [Link]

    /// Reads a header field; several fields of one message are joined by commas before.
    public init(_ text: String) {
        var parser = LinkFieldParser(text)
        links = parser.links()
    }

    /// Reads the `Link` fields of a response; without one there are no links.
    public init(of head: HTTPResponse) {
        self.init(HTTPField.Name("Link").flatMap { head.headerFields[$0] } ?? "")
    }

    /// Where the first link with a relation leads.
    ///
    /// Links that say they start elsewhere (`anchor`) are not the response's own and are passed
    /// over.
    ///
    /// - Parameter relation: Such as `next`; case does not matter.
    /// - Returns: The link's target as written, `nil` if no link has the relation.
    public func target(of relation: String) -> String? {
        let relation = relation.lowercased()
        return links.first { $0.relations.contains(relation) && $0["anchor"] == nil }?.target
    }
}

/// Reads links byte by byte.
private struct LinkFieldParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func links() -> [LinkField.Link] {
        var links: [LinkField.Link] = []
        while true {
            skip { isSpace($0) || $0 == UInt8(ascii: ",") }
            guard take(UInt8(ascii: "<")), let end = bytes[position...].firstIndex(of: 0x3E) else {
                return links
            }
            let target = text(bytes[position..<end])
            position = end + 1
            guard let parameters = parameters() else { return links }
            let relations = parameters.first { $0.name == "rel" }?.value.lowercased()
                .split { $0 == " " || $0 == "\t" }.map(String.init)
            links.append(
                LinkField.Link(target: target, relations: relations ?? [], parameters: parameters))
        }
    }

    /// The parameters up to the comma that ends the link, `nil` after a fault.
    private mutating func parameters() -> [LinkField.Parameter]? {
        var parameters: [LinkField.Parameter] = []
        while true {
            skip(isSpace)
            guard position < bytes.count, bytes[position] != UInt8(ascii: ",") else {
                return parameters
            }
            guard take(UInt8(ascii: ";")) else { return nil }
            skip(isSpace)
            let name = text(token(until: "=;,")).lowercased()
            skip(isSpace)
            var value = ""
            if take(UInt8(ascii: "=")) {
                skip(isSpace)
                if take(UInt8(ascii: "\"")) {
                    guard let quoted = quotedText() else { return nil }
                    value = quoted
                } else {
                    value = text(token(until: ";,"))
                }
            }
            if !name.isEmpty {
                parameters.append(LinkField.Parameter(name: name, value: value))
            }
        }
    }

    /// The content of a quoted string whose first quote is behind us, `nil` if it never ends.
    private mutating func quotedText() -> String? {
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return text(content[...])
            case UInt8(ascii: "\\") where position < bytes.count:
                content.append(bytes[position])
                position += 1
            default:
                content.append(byte)
            }
        }
        return nil
    }

    private mutating func token(until delimiters: StaticString) -> ArraySlice<UInt8> {
        let delimiters = Array(delimiters.description.utf8)
        let start = position
        skip { !delimiters.contains($0) && !isSpace($0) }
        return bytes[start..<position]
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) {
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func text(_ slice: ArraySlice<UInt8>) -> String {
        String(decoding: slice, as: UTF8.self)
    }
}

private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09
}
