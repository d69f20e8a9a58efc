// SPDX-License-Identifier: Apache-2.0

/// The encoding of received text that a `charset` parameter names.
///
/// - Source: WHATWG Encoding §4.2 for the labels: those of ISO-8859-1 and US-ASCII mean windows-1252.
package enum CharacterEncoding: Sendable, Hashable {
    case utf8
    /// Without a byte order mark, the more significant byte is the first one (RFC 2781 §4.3), unless
    /// the zeros of an ASCII character show the opposite.
    case utf16
    case utf16LittleEndian
    case utf16BigEndian
    case windows1252

    /// Creates the encoding with a label, without regard to case; `nil` if it is not supported.
    package init?(label: String) {
        switch label.lowercased() {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        case "utf-16", "utf16", "unicode", "ucs-2": self = .utf16
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1",
            "iso88591", "latin1", "l1", "us-ascii", "ascii":
            self = .windows1252
        default: return nil
        }
    }

    /// Returns text in UTF-8, without a byte order mark of UTF-16.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/loneSurrogate`` or
    ///   ``DocumentError/Code/unexpectedEnd``, and the offset in the given bytes.
    package func utf8(_ bytes: [UInt8]) throws(DocumentError) -> [UInt8] {
        switch self {
        case .utf8: bytes
        case .windows1252: Self.utf8(windows1252: bytes)
        case .utf16LittleEndian: try Self.utf8(utf16: bytes, isLittleEndian: true)
        case .utf16BigEndian: try Self.utf8(utf16: bytes, isLittleEndian: false)
        case .utf16:
            try Self.utf8(
                utf16: bytes,
                isLittleEndian: bytes.count > 1 && bytes[0] != 0 && bytes[1] == 0)
        }
    }

    /// The characters of windows-1252 at 80 to 9F; all others are those of Latin-1.
    private static let windowsScalars: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]

    private static func utf8(windows1252 bytes: [UInt8]) -> [UInt8] {
        var text = String.UnicodeScalarView()
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            let isWindows = 0x80...0x9F ~= byte
            let unit = isWindows ? windowsScalars[Int(byte) - 0x80] : UInt16(byte)
            if let scalar = Unicode.Scalar(unit) { text.append(scalar) }
        }
        return Array(String(text).utf8)
    }

    private static func utf8(
        utf16 bytes: [UInt8], isLittleEndian: Bool
    ) throws(DocumentError) -> [UInt8] {
        guard bytes.count % 2 == 0 else {
            throw DocumentError(
                .unexpectedEnd, offset: bytes.count, expected: "whole units of UTF-16")
        }
        let isMarkedLittle = bytes.starts(with: [0xFF, 0xFE])
        let isMarked = isMarkedLittle || bytes.starts(with: [0xFE, 0xFF])
        let (low, high) = (isMarked ? isMarkedLittle : isLittleEndian) ? (0, 1) : (1, 0)
        let start = isMarked ? 2 : 0
        let units = stride(from: start, to: bytes.count, by: 2).lazy.map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var parser = Unicode.UTF16.ForwardParser()
        var iterator = units.makeIterator()
        var offset = start
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                offset += encoded.count * 2
                text += Unicode.UTF8.encode(Unicode.UTF16.decode(encoded)).map(Array.init) ?? []
            case .error:
                throw DocumentError(
                    .loneSurrogate, offset: offset,
                    expected: "a high surrogate followed by a low one")
            case .emptyInput: return text
            }
        }
    }
}
