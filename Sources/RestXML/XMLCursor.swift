// SPDX-License-Identifier: Apache-2.0

/// An offset in a text that moves past expected bytes.
struct XMLCursor {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte at the offset, or `nil` at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The byte after the next one.
    var second: UInt8? { offset + 1 < bytes.count ? bytes[offset + 1] : nil }

    func isAt(_ text: String) -> Bool {
        bytes[offset...].starts(with: text.utf8)
    }

    /// Moves past a text if it is next.
    ///
    /// - Returns: Whether it was.
    @discardableResult mutating func take(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        offset += text.utf8.count
        return true
    }

    /// Moves past blanks.
    ///
    /// - Returns: Whether there were any.
    @discardableResult mutating func takeBlanks() -> Bool {
        let start = offset
        while offset < bytes.count, bytes[offset].isBlank { offset += 1 }
        return offset > start
    }

    /// Moves past a text in single or double quotes.
    ///
    /// - Returns: The range between the quotes, or `nil` without an opening and a closing one.
    mutating func takeQuoted() -> Range<Int>? {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        guard let end = bytes[(offset + 1)...].firstIndex(of: quote) else { return nil }
        defer { offset = end + 1 }
        return offset + 1..<end
    }

    /// Moves past all bytes up to a blank or a byte that cannot be in a name.
    ///
    /// - Returns: The bytes passed.
    mutating func takeName() -> ArraySlice<UInt8> {
        let start = offset
        while offset < bytes.count, !bytes[offset].endsName { offset += 1 }
        return bytes[start..<offset]
    }

    /// Moves to the next occurrence of a text, or to the end.
    ///
    /// - Returns: Whether the text occurs.
    @discardableResult mutating func move(to text: String) -> Bool {
        let first = text.utf8.first
        while offset < bytes.count {
            if bytes[offset] == first, isAt(text) { return true }
            offset += 1
        }
        return false
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is white space in XML.
    var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// A Boolean value that indicates whether the byte ends a name in markup.
    fileprivate var endsName: Bool {
        switch self {
        case UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "="),
            UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: isBlank
        }
    }
}
