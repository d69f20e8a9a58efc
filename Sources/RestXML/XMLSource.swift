// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A text that has been converted to UTF-8 and contains only characters that XML allows.
///
/// Offsets refer to the UTF-8 text; errors convert them to offsets in the received bytes.
struct XMLSource {
    private enum Encoding {
        case utf8
        /// ISO-8859-1 or windows-1252.
        case singleByte
        case utf16(isLittleEndian: Bool)
    }

    /// The text without its byte order mark.
    private(set) var bytes: [UInt8]
    /// The offset after the XML declaration.
    private(set) var start = 0
    private var encoding = Encoding.utf8
    private var markLength = 0

    /// Detects the encoding and converts the bytes to UTF-8; a charset replaces the declared encoding.
    init(
        _ received: [UInt8], charset: String? = nil, limits: ParseLimits
    ) throws(DocumentError) {
        bytes = received
        guard received.count <= limits.byteCount else {
            throw error(
                .limitExceeded, at: limits.byteCount,
                "at most \(limits.byteCount) bytes, found \(received.count)")
        }
        // US-ASCII is a part of every other encoding, and a default of old servers for UTF-8.
        let charset = charset.map { $0.uppercased() }.flatMap {
            ["", "US-ASCII", "ASCII"].contains($0) ? nil : $0
        }
        if let charset, charset.hasPrefix("UTF-16"), !hasByteOrderMark {
            bytes = []
            try decodeUTF16(received[...], isLittleEndian: Self.isLittleEndian(received, charset))
        } else {
            try removeByteOrderMark()
        }
        let declaration = try XMLDeclaration(of: self)
        start = declaration.end
        // A mark precedes the charset, with which the declared encoding need not agree.
        let isMarked = markLength > 0
        try decode(declaring: isMarked || charset == nil ? declaration.encoding : charset)
        try checkCharacters()
    }

    /// Returns an error at an offset of the text.
    func error(
        _ code: DocumentError.Code, at position: Int, _ expected: String,
        path: DocumentPath = .root
    ) -> DocumentError {
        let position = max(0, min(position, bytes.count))
        let before = bytes[..<position]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let offset = receivedOffset(of: position)
        return DocumentError(
            code, offset: offset, line: line,
            column: offset - (lineStart.map(receivedOffset) ?? 0) + 1, path: path,
            expected: expected)
    }

    // MARK: Encodings

    private static let supportedEncodings =
        "UTF-8, UTF-16 with a byte order mark, US-ASCII, ISO-8859-1 or windows-1252"

    private var hasByteOrderMark: Bool {
        [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]].contains { bytes.starts(with: $0) }
    }

    /// Returns a Boolean value that indicates whether units of UTF-16 begin with their lower byte.
    ///
    /// The first character of XML is ASCII, so its other byte is zero.
    private static func isLittleEndian(_ received: [UInt8], _ charset: String) -> Bool {
        switch charset {
        case "UTF-16LE": true
        case "UTF-16BE": false
        default: received.first != 0
        }
    }

    /// Removes the byte order mark and converts UTF-16 to UTF-8.
    private mutating func removeByteOrderMark() throws(DocumentError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes.removeFirst(3)
            markLength = 3
            return
        }
        let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
        let isUTF16 = isLittleEndian || bytes.starts(with: [0xFE, 0xFF])
        // UTF-32 and UTF-16 without a mark have zeros here, which other texts must not have.
        let hasZero = bytes.prefix(4).dropFirst(isUTF16 ? 2 : 0).contains(0)
        if !isUTF16 {
            guard !hasZero else {
                throw error(.unsupportedEncoding, at: 0, Self.supportedEncodings)
            }
            return
        }
        guard bytes.dropFirst(2).prefix(2) != [0, 0] else {
            throw error(.unsupportedEncoding, at: 0, Self.supportedEncodings)
        }
        let received = bytes.dropFirst(2)
        markLength = 2
        bytes = []
        try decodeUTF16(received, isLittleEndian: isLittleEndian)
    }

    private mutating func decodeUTF16(
        _ received: ArraySlice<UInt8>, isLittleEndian: Bool
    ) throws(DocumentError) {
        encoding = .utf16(isLittleEndian: isLittleEndian)
        bytes.reserveCapacity(received.count)
        let (low, high) = isLittleEndian ? (0, 1) : (1, 0)
        let units = stride(from: received.startIndex, to: received.endIndex - 1, by: 2).lazy.map {
            UInt16(received[$0 + high]) << 8 | UInt16(received[$0 + low])
        }
        var parser = Unicode.UTF16.ForwardParser()
        var iterator = units.makeIterator()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                let scalar = Unicode.UTF16.decode(scalar)
                if let encoded = Unicode.UTF8.encode(scalar) { bytes += encoded }
            case .error:
                throw error(
                    .loneSurrogate, at: bytes.count,
                    "expected a high surrogate followed by a low one")
            case .emptyInput:
                guard received.count % 2 == 0 else {
                    throw error(.unexpectedEnd, at: bytes.count, "expected whole units of UTF-16")
                }
                return
            }
        }
    }

    /// Converts text in the declared encoding to UTF-8 and validates it.
    private mutating func decode(declaring name: String?) throws(DocumentError) {
        if case .utf16 = encoding {
            guard markLength == 0 || name == nil || name == "UTF-16" else {
                throw error(.unsupportedEncoding, at: 0, "UTF-16, as its byte order mark says")
            }
            return
        }
        switch name {
        case nil, "UTF-8", "UTF8":
            break
        case "US-ASCII", "ASCII":
            if let offset = bytes.firstIndex(where: { $0 >= 0x80 }) {
                throw error(.unexpectedByte, at: offset, "expected a character of US-ASCII")
            }
        case "WINDOWS-1252" where markLength == 0, "CP1252" where markLength == 0:
            encoding = .singleByte
            bytes = try CharacterEncoding.windows1252.utf8(bytes)
            return
        case "ISO-8859-1" where markLength == 0, "LATIN1" where markLength == 0:
            encoding = .singleByte
            bytes = Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
            return
        default:
            throw error(.unsupportedEncoding, at: 0, Self.supportedEncodings)
        }
        try checkUTF8()
    }

    private func checkUTF8() throws(DocumentError) {
        // Decoding, which replaces invalid sequences, is much faster than parsing every scalar.
        guard !String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else { return }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var validCount = 0
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            validCount += scalar.count
        }
        throw error(.invalidUTF8, at: validCount, "well-formed UTF-8")
    }

    /// Rejects characters that XML excludes (XML 1.0 §2.2): most control characters, U+FFFE and U+FFFF.
    private func checkCharacters() throws(DocumentError) {
        for position in bytes.indices {
            let byte = bytes[position]
            let isControl = byte < 0x20 && !byte.isBlank
            // A sequence that begins with EF has three bytes.
            let isNoncharacter =
                byte == 0xEF && bytes[position + 1] == 0xBF && bytes[position + 2] >= 0xBE
            if isControl || isNoncharacter {
                throw error(.unexpectedByte, at: position, "expected a character that XML allows")
            }
        }
    }

    /// Returns the offset in the received bytes of an offset in the text.
    private func receivedOffset(of position: Int) -> Int {
        markLength + (isConverted ? width(of: bytes[..<position]) : position)
    }

    private var isConverted: Bool {
        if case .utf8 = encoding { return false }
        return true
    }

    /// Returns the number of bytes of a part of the text in the received encoding.
    private func width(of part: ArraySlice<UInt8>) -> Int {
        part.reduce(0) { count, byte in
            switch encoding {
            case .utf8: count + 1
            case .singleByte: byte & 0xC0 == 0x80 ? count : count + 1
            case .utf16: byte & 0xC0 == 0x80 ? count : byte < 0xF0 ? count + 2 : count + 4
            }
        }
    }
}
