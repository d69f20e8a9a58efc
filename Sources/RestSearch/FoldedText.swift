// SPDX-License-Identifier: Apache-2.0

// Only for the canonical decomposition of text, which the standard library has not made public.
import Foundation

/// Text in the form in which it is compared.
enum FoldedText {
    /// The text without the differences that a search passes over.
    static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        // Upper case first, as some letters have several lower cases.
        let parts = text.uppercased().lowercased().decomposedStringWithCanonicalMapping
        var folded = String.UnicodeScalarView()
        folded.append(contentsOf: parts.unicodeScalars.lazy.filter { !isPassedOver($0) })
        return String(folded).precomposedStringWithCanonicalMapping
    }

    /// Whether a scalar is of the blocks of combining diacritical marks, or stands in words where
    /// nobody sees it, as a soft hyphen does.
    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x2060, 0xFEFF: true
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
            0xFE20...0xFE2F:
            true
        default: false
        }
    }
}
