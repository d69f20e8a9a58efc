// SPDX-License-Identifier: Apache-2.0

/// A parser for media types.
struct MediaTypeReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        skipSpaces()
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

    /// Reads `; name=value` up to the end and skips empty parameters.
    mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        while true {
            skipSpaces()
            if position == bytes.count { return parameters }
            guard take(";") else { return nil }
            skipSpaces()
            if position == bytes.count || bytes[position] == UInt8(ascii: ";") { continue }
            guard let name = token()?.lowercased(), take("="), let value = token() ?? quoted()
            else { return nil }
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// Reads an element of a list and the comma after it; its parts in lower case.
    ///
    /// - Returns: `nil` at the end; `.some(nil)` for an element that is not a media type.
    mutating func listElement() -> (type: String, subtype: String, parameters: [String: String])?? {
        skipSpaces()
        guard position < bytes.count else { return nil }
        guard let type = token()?.lowercased(), take("/"), let subtype = token()?.lowercased()
        else {
            skip(to: ",")
            _ = take(",")
            return .some(nil)
        }
        var parameters: [String: String] = [:]
        while true {
            skipSpaces()
            if position == bytes.count || take(",") { return (type, subtype, parameters) }
            guard take(";") else {
                skip(to: ",;")
                continue
            }
            skipSpaces()
            guard let name = token()?.lowercased(), take("="), let value = token() ?? quoted()
            else { continue }
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// Moves to one of the given characters outside of quoted text, or to the end.
    private mutating func skip(to characters: String) {
        let stops = Array(characters.utf8)
        while position < bytes.count, !stops.contains(bytes[position]) {
            // Quoted text that does not end extends to the end.
            if bytes[position] == UInt8(ascii: "\"") { _ = quoted() } else { position += 1 }
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

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 {
            position += 1
        }
    }
}
