// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: MappableValue {
    /// Converts a number, or text that is one, with all its digits.
    ///
    /// A number of more than 38 digits is out of range. Text that is not a number is an issue under
    /// all coercions.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Decimal {
        let view = source.view
        if view.kind.isNumber {
            if let value = unsafe DecimalText.read(view.numberBytes.span) { return value }
            throw source.failure(.outOfRange, "a decimal of at most 38 digits")
        }
        guard let text = view.string()?.trimmed else { throw source.mismatch("a decimal") }
        guard let value = DecimalText.read(Array(text.utf8).span) else {
            throw source.conversionFailure(.textToNumber, "the text of a decimal")
        }
        try source.coerce(.textToNumber, "a decimal")
        return value
    }

    /// Writes text with all digits, or a number if the mapping declares so; NaN has no
    /// representation.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.decimal(self)
    }
}

extension UUID: MappableValue {
    /// Converts text of 36 characters.
    public static func map(from source: ValueSource) throws(MappingFailure) -> UUID {
        guard let text = source.view.string() else { throw source.mismatch("a UUID") }
        guard let value = UUID(uuidString: text) else {
            throw source.failure(.malformedValue, "a UUID")
        }
        return value
    }

    /// Writes text of 36 characters.
    public func write(to writer: inout RequestWriter) {
        writer.string(uuidString)
    }
}

extension URL: MappableValue {
    /// Converts text that is a valid URL, or one with letters outside of ASCII.
    ///
    /// Such letters are percent-encoded, and those of a host are converted to ASCII, as in the mapping of
    /// IRIs to URIs. Under ``Coercion/unescapedToURL`` other characters that need it, such as spaces, are
    /// percent-encoded as well.
    ///
    /// - Source: RFC 3986, RFC 3987, section 3.1.
    public static func map(from source: ValueSource) throws(MappingFailure) -> URL {
        guard let text = source.view.string() else { throw source.mismatch("a URL") }
        if let value = URL(wellFormed: text) { return value }
        guard source.allows(.unescapedToURL), let value = URL(escaping: text.trimmed) else {
            throw source.failure(.malformedValue, "a URL")
        }
        source.noteCoercion(.unescapedToURL)
        return value
    }

    /// Writes the text of the URL.
    public func write(to writer: inout RequestWriter) {
        writer.string(absoluteString)
    }
}

extension URL {
    /// Creates a URL from text that is a valid URI or IRI as it is; nil otherwise.
    init?(wellFormed text: String) {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
            self.init(string: text, encodingInvalidCharacters: false)
            return
        }
        guard text.unicodeScalars.allSatisfy(Self.isIRICharacter) else { return nil }
        let bytes = Array(text.utf8)
        let end = Self.endOfAuthority(in: bytes)
        var authority = String(decoding: bytes[..<end], as: UTF8.self)
        if !bytes[..<end].allSatisfy({ $0 < 0x80 }) {
            // Foundation converts the host to ASCII; a letter in its place shows other errors.
            let placeholder = String(
                String.UnicodeScalarView(authority.unicodeScalars.map { $0.isASCII ? $0 : "a" }))
            guard URL(string: placeholder, encodingInvalidCharacters: false) != nil,
                let url = URL(string: authority)
            else { return nil }
            authority = url.absoluteString
        }
        var encoded = Array(authority.utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes[end...] {
            if byte < 0x80 {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        self.init(
            string: String(decoding: encoded, as: UTF8.self), encodingInvalidCharacters: false)
    }

    /// Returns a Boolean value that indicates whether a scalar is ASCII or one that IRIs may contain.
    ///
    /// - Source: RFC 3987, section 2.2, `ucschar`, without white space.
    private static func isIRICharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x80: true
        case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF, 0x1_0000...0xD_FFFD,
            0xE_1000...0xE_FFFD:
            scalar.value & 0xFFFE != 0xFFFE && !scalar.properties.isWhitespace
        default: false
        }
    }

    /// Returns the end of scheme and authority; 0 if there is no authority.
    private static func endOfAuthority(in bytes: [UInt8]) -> Int {
        let delimiters = Array("/?#".utf8)
        guard let first = bytes.firstIndex(where: delimiters.contains),
            bytes[first...].starts(with: "//".utf8),
            first == 0 || bytes[first - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(first + 2)...].firstIndex(where: delimiters.contains) ?? bytes.count
    }

    /// Creates a URL from text, in which characters that a URL cannot contain are percent-encoded;
    /// nil if it is none even then.
    init?(escaping text: String) {
        guard !text.isEmpty else { return nil }
        self.init(string: text, encodingInvalidCharacters: true)
    }
}

extension Data: MappableValue {
    /// Converts text that is Base64.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Data {
        guard let text = source.view.string() else { throw source.mismatch("Base64 text") }
        guard let value = Data(base64Encoded: text) else {
            throw source.failure(.malformedValue, "Base64 text")
        }
        return value
    }

    /// Writes text that is Base64.
    public func write(to writer: inout RequestWriter) {
        writer.string(base64EncodedString())
    }
}
