// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The header fields of a part of a form.
struct MultipartHeader {
    let name: String
    let fileName: String?
    let contentType: String?

    /// The reason why the header is invalid, or `nil` if it is valid.
    var invalidityReason: String? {
        if !Self.canBeQuoted(name) { return "the name contains a control character" }
        if let fileName, !Self.canBeQuoted(fileName) {
            return "the file name contains a control character"
        }
        if let contentType, !Self.isMediaType(contentType) {
            return "the content type is not a media type"
        }
        return nil
    }

    /// The field lines and the empty line after them.
    var bytes: [UInt8] {
        var bytes = Array("Content-Disposition: form-data; name=\"".utf8)
        Self.append(name, to: &bytes)
        if let fileName {
            bytes += "\"; filename=\"".utf8
            Self.append(fileName, to: &bytes)
        }
        bytes += "\"\r\n".utf8
        if let contentType {
            bytes += "Content-Type: \(contentType)\r\n".utf8
        }
        bytes += "\r\n".utf8
        return bytes
    }

    private static func canBeQuoted(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
        }
    }

    private static func append(_ name: String, to bytes: inout [UInt8]) {
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "%22".utf8
            case UInt8(ascii: "\r"): bytes += "%0D".utf8
            case UInt8(ascii: "\n"): bytes += "%0A".utf8
            default: bytes.append(byte)
            }
        }
    }

    /// Returns a Boolean value that indicates whether a text is a media type, with or without
    /// parameters.
    ///
    /// - Source: RFC 9110 §8.3.1.
    private static func isMediaType(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return false }
        var rest = Substring(text)
        guard takeToken(from: &rest), rest.popFirst() == "/", takeToken(from: &rest) else {
            return false
        }
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " }
            guard rest.popFirst() == ";" else { return false }
            rest = rest.drop { $0 == " " }
            guard takeToken(from: &rest), rest.popFirst() == "=", takeValue(from: &rest) else {
                return false
            }
        }
        return true
    }

    private static func takeToken(from rest: inout Substring) -> Bool {
        let token = rest.prefix { $0 != "/" && $0 != ";" && $0 != "=" && $0 != " " }
        rest = rest[token.endIndex...]
        return HTTPField.Name(String(token)) != nil && token.first != ":"
    }

    private static func takeValue(from rest: inout Substring) -> Bool {
        guard rest.first == "\"" else { return takeToken(from: &rest) }
        rest.removeFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return true }
            if character == "\\", rest.popFirst() == nil { return false }
        }
        return false
    }
}
