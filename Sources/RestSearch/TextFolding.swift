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
        folded.append(contentsOf: decomposed.unicodeScalars.lazy.filter { !isIgnored($0) })
        return String(folded).precomposedStringWithCanonicalMapping
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
