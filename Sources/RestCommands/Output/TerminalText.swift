// SPDX-License-Identifier: Apache-2.0

/// Text that came from elsewhere, made safe to show on a terminal.
///
/// A terminal obeys control and escape characters, and bidirectional controls reorder what is
/// around them; all of them are shown as what they are, such as `\u{1B}`.
enum TerminalText {
    /// The text with every control, line-separating and bidirectional character escaped.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case _ where isHarmful(scalar):
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The number of columns that escaped text takes.
    ///
    /// - Source: Unicode Standard Annex #11, wide characters and emoji take two columns; what joins
    ///   the character before takes none, as grapheme clusters have it.
    static func width(of text: String) -> Int {
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

    /// The text, escaped, in at most so many columns; an ellipsis stands for what was left out.
    static func fitted(_ text: String, to width: Int) -> String {
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
    /// Whether a character that begins with the scalar shows nothing of its own.
    fileprivate var isInvisible: Bool {
        generalCategory == .nonspacingMark || generalCategory == .enclosingMark
            || generalCategory == .format
    }
}
