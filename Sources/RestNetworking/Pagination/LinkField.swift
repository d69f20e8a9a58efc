// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The links in the `Link` header field of a response.
///
/// Malformed input does not fail: a link with a syntax error is left out, and the links before and
/// after it are kept. Servers join the links of several components, of which one can be malformed.
///
/// - Source: RFC 8288 §3 and appendix B.
public struct LinkField: Sendable, Hashable {
    /// A link.
    public struct Link: Sendable, Hashable {
        /// The target: an absolute or relative reference, as written.
        public var target: String
        /// The relation types in lower case; empty if the link has none.
        public var relations: [String]
        /// All parameters, in the order of the header field.
        public var parameters: [Parameter]

        /// The value of the first parameter with a name.
        public subscript(parameter: String) -> String? {
            parameters.first { $0.name == parameter }?.value
        }
    }

    /// A parameter of a link.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value without quotes and escapes; empty if the parameter has none.
        public var value: String
    }

    /// The links, in the order of the header field.
    public var links: [Link]

    /// Parses the value of a header field, or of several joined by commas.
    public init(_ text: String) {
        var parser = LinkFieldParser(text)
        links = parser.links()
    }

    /// Parses the `Link` fields of a response; without one, there are no links.
    public init(of head: HTTPResponse) {
        self.init(HTTPField.Name("Link").flatMap { head.headerFields[$0] } ?? "")
    }

    /// Returns the target of the first link with a relation type.
    ///
    /// Links with an `anchor` parameter have another context than the response and are ignored.
    ///
    /// - Parameter relation: A relation type such as `next`, compared without regard to case.
    /// - Returns: The target as written; `nil` if no link has the relation type.
    public func target(of relation: String) -> String? {
        let relation = relation.lowercased()
        return links.first { $0.relations.contains(relation) && $0["anchor"] == nil }?.target
    }
}

/// A parser for the value of a `Link` header field.
private struct LinkFieldParser {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func links() -> [LinkField.Link] {
        var links: [LinkField.Link] = []
        while true {
            skip { isWhitespace($0) || $0 == UInt8(ascii: ",") }
            guard offset < bytes.count else { return links }
            let start = offset
            if let link = link() {
                links.append(link)
            } else {
                offset = start + 1
                skipToLink()
            }
        }
    }

    /// Returns the link at the offset; `nil` after a syntax error.
    private mutating func link() -> LinkField.Link? {
        guard consume(UInt8(ascii: "<")),
            // The next link begins before the end of a target without one.
            let end = bytes[offset...].firstIndex(where: {
                $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<")
            }), bytes[end] == UInt8(ascii: ">")
        else { return nil }
        let target = text(bytes[offset..<end])
        offset = end + 1
        guard let parameters = parameters() else { return nil }
        let relations = parameters.first { $0.name == "rel" }?.value.lowercased()
            .split { $0 == " " || $0 == "\t" }.map(String.init)
        return LinkField.Link(target: target, relations: relations ?? [], parameters: parameters)
    }

    /// Moves to the next link that follows a comma, or to the end.
    private mutating func skipToLink() {
        var followsComma = false
        skip { byte in
            if byte == UInt8(ascii: "<"), followsComma { return false }
            if !isWhitespace(byte) { followsComma = byte == UInt8(ascii: ",") }
            return true
        }
    }

    /// Returns the parameters before the comma that ends the link; `nil` after a syntax error.
    private mutating func parameters() -> [LinkField.Parameter]? {
        var parameters: [LinkField.Parameter] = []
        while true {
            skip(while: isWhitespace)
            guard offset < bytes.count, bytes[offset] != UInt8(ascii: ",") else {
                return parameters
            }
            guard consume(UInt8(ascii: ";")) else { return nil }
            skip(while: isWhitespace)
            let name = text(token(until: "=;,")).lowercased()
            skip(while: isWhitespace)
            var value = ""
            if consume(UInt8(ascii: "=")) {
                skip(while: isWhitespace)
                if consume(UInt8(ascii: "\"")) {
                    guard let quoted = quotedText() else { return nil }
                    value = quoted
                } else {
                    value = text(unquotedValue())
                }
            }
            if !name.isEmpty {
                parameters.append(LinkField.Parameter(name: name, value: value))
            }
        }
    }

    /// Returns the content of a quoted string, after its opening quote; `nil` if it is not closed.
    private mutating func quotedText() -> String? {
        var content: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                return text(content[...])
            case UInt8(ascii: "\\") where offset < bytes.count:
                content.append(bytes[offset])
                offset += 1
            default:
                content.append(byte)
            }
        }
        return nil
    }

    /// Returns the value up to a semicolon or a comma, which may contain blanks (RFC 8288 appendix B.3).
    private mutating func unquotedValue() -> ArraySlice<UInt8> {
        let start = offset
        skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let end = bytes[start..<offset].lastIndex { !isWhitespace($0) }.map { $0 + 1 }
        return bytes[start..<(end ?? start)]
    }

    private mutating func token(until delimiters: StaticString) -> ArraySlice<UInt8> {
        let delimiters = Array(delimiters.description.utf8)
        let start = offset
        skip { !delimiters.contains($0) && !isWhitespace($0) }
        return bytes[start..<offset]
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while offset < bytes.count, isSkipped(bytes[offset]) {
            offset += 1
        }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private func text(_ slice: ArraySlice<UInt8>) -> String {
        String(decoding: slice, as: UTF8.self)
    }
}

private func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09
}
