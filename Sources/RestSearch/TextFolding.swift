// SPDX-License-Identifier: Apache-2.0

// For the canonical decomposition of text, which is not public in the standard library.
import Foundation

/// Case and diacritic folding of text for comparison.
enum TextFolding {
    /// Returns the text without the differences that a search ignores.
    static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        // Uppercase first, as some letters have several lowercase forms.
        let decomposed = text.uppercased().lowercased().decomposedStringWithCanonicalMapping
        var folded = String.UnicodeScalarView()
        folded.append(
            contentsOf: decomposed.unicodeScalars.lazy.filter { !isIgnored($0) }.map(plain))
        return String(folded).precomposedStringWithCanonicalMapping
    }

    /// Returns the ASCII form of a typographic apostrophe, quotation mark, hyphen, full stop or comma, which
    /// keyboards and editors use in its place.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x2018, 0x2019, 0x201B, 0xFF07: "'"
        case 0x201C, 0x201D, 0x201F, 0xFF02: "\""
        case 0x2010, 0x2011, 0xFF0D: "-"
        case 0x2024, 0xFE52, 0xFF0E: "."
        case 0xFF0C: ","
        case 0xFF1B: ";"
        default: scalar
        }
    }

    /// Returns a Boolean value that indicates whether a scalar is a combining diacritical mark or an
    /// invisible character inside words, such as a soft hyphen.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x2060, 0xFEFF: true
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
            0xFE20...0xFE2F:
            true
        default: false
        }
    }
}
