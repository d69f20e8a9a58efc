// SPDX-License-Identifier: Apache-2.0

import RestKit

/// Escaping and measuring of untrusted text for terminals.
package enum TerminalText {
    /// Returns the text with control and invisible characters escaped.
    ///
    /// Escaping is idempotent.
    package static func escaped(_ text: String) -> String {
        EscapedText.of(text, doublesBackslashes: false)
    }

    /// Returns the number of columns of an escaped text.
    ///
    /// - Source: Unicode Standard Annex #11, wide characters and emoji take two columns. Scalars
    ///   that extend a grapheme cluster take none.
    package static func width(of text: String) -> Int {
        text.reduce(0) { width, character in
            guard let scalar = character.unicodeScalars.first else { return width }
            return width + (isWide(scalar) ? 2 : scalar.properties.isInvisible ? 0 : 1)
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// Returns the escaped text cut to a number of columns; an ellipsis marks the cut.
    package static func fitted(_ text: String, to width: Int) -> String {
        let escaped = escaped(text)
        guard Self.width(of: escaped) > width else { return escaped }
        var fitted = ""
        var room = width - 1
        for character in escaped {
            room -= Self.width(of: String(character))
            if room < 0 { break }
            fitted.append(character)
        }
        return width > 0 ? fitted + "…" : ""
    }
}

extension Unicode.Scalar.Properties {
    /// Returns a Boolean value that indicates whether a scalar has no glyph of its own.
    fileprivate var isInvisible: Bool {
        generalCategory == .nonspacingMark || generalCategory == .enclosingMark
            || generalCategory == .format
    }
}
