// SPDX-License-Identifier: Apache-2.0

#if XML

/// A place in a text that moves on over what is known to stand there.
struct XMLCursor {
    let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte at the place; `nil` at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The byte behind that one.
    var second: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    func isAt(_ text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    /// Moves behind a text if it stands there.
    mutating func take(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Moves behind blanks.
    ///
    /// - Returns: Whether there were any.
    @discardableResult mutating func takeBlanks() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        return position > start
    }

    /// Moves behind a text in quotes, single or double ones.
    ///
    /// - Returns: What is between them; `nil` where no quote stands or none ends it.
    mutating func takeQuoted() -> Range<Int>? {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { return nil }
        defer { position = end + 1 }
        return position + 1..<end
    }

    /// Moves behind what could be a name: all up to a blank or a byte that ends names in markup.
    mutating func takeName() -> Range<Int> {
        let start = position
        while position < bytes.count, !bytes[position].endsName { position += 1 }
        return start..<position
    }

    /// Moves to where a text begins next, or to the end.
    ///
    /// - Returns: Whether it begins there.
    mutating func move(to text: String) -> Bool {
        let first = text.utf8.first
        while position < bytes.count {
            if bytes[position] == first, isAt(text) { return true }
            position += 1
        }
        return false
    }
}

extension UInt8 {
    /// Whether XML calls the byte white space.
    var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// Whether the byte ends a name in markup.
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

#endif
