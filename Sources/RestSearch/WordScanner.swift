// SPDX-License-Identifier: Apache-2.0

/// Splits a text into words and symbols.
///
/// The unit is the character, not the scalar, so marks and joiners stay with the preceding letter.
struct WordScanner {
    /// The word-break class of a character.
    private enum Kind {
        /// A part of a word.
        case letter, digit, katakana
        /// A low line, which is a part of any word.
        case connector
        /// A word of one character.
        case single
        /// A part of a word that continues after it; otherwise a symbol.
        case insideLetters, insideDigits, insideBoth
        case symbol
        case ignored

        var isWordCharacter: Bool {
            switch self {
            case .letter, .digit, .katakana, .connector: true
            default: false
            }
        }

        /// Returns a Boolean value that indicates whether two adjacent word characters belong to the
        /// same word.
        func isJoined(to next: Kind) -> Bool {
            next.isWordCharacter
                && (self == next || self == .connector || next == .connector
                    || (self != .katakana && next != .katakana))
        }

        /// Returns a Boolean value that indicates whether a character joins its neighbors into a word.
        func joins(_ last: Kind, _ next: Kind) -> Bool {
            switch self {
            case .insideLetters: last == .letter && next == .letter
            case .insideDigits: last == .digit && next == .digit
            case .insideBoth: last == next && (last == .letter || last == .digit)
            default: false
            }
        }
    }

    private let text: String
    private var position: String.Index

    init(_ text: String) {
        self.text = text
        position = text.startIndex
    }

    /// Returns the next token, or `nil` at the end.
    mutating func next() -> String? { nextRange().map { String(text[$0]) } }

    /// Returns the range of the next token, or `nil` at the end.
    mutating func nextRange() -> Range<String.Index>? {
        while position < text.endIndex {
            let start = position
            var last = Self.kind(of: text[position])
            position = text.index(after: position)
            if last == .ignored { continue }
            if last.isWordCharacter {
                while let end = endOfNext(&last) { position = end }
            }
            return start..<position
        }
        return nil
    }

    /// Returns the end of the word's next character, or `nil` at the end of the word, and updates the
    /// class of its last character.
    private func endOfNext(_ last: inout Kind) -> String.Index? {
        guard position < text.endIndex else { return nil }
        let kind = Self.kind(of: text[position])
        let end = text.index(after: position)
        if last.isJoined(to: kind) {
            last = kind
            return end
        }
        guard end < text.endIndex, kind.joins(last, Self.kind(of: text[end])) else { return nil }
        return text.index(after: end)
    }

    private static func kind(of character: Character) -> Kind {
        guard let first = character.unicodeScalars.first else { return .ignored }
        switch first.value {
        case 0x30...0x39: return .digit
        case 0x41...0x5A, 0x61...0x7A: return .letter
        case 0x5F: return .connector
        case 0x27, 0x2E, 0x2018, 0x2019, 0x201B, 0x2024, 0xFE52, 0xFF07, 0xFF0E: return .insideBoth
        case 0x2C, 0x3B, 0x066C, 0xFF0C, 0xFF1B: return .insideDigits
        case 0xB7, 0x0387, 0x05F4, 0x2027: return .insideLetters
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x309F:
            return isVisible(first) ? .single : .ignored
        case 0x30A0...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: return .katakana
        default: break
        }
        let properties = first.properties
        if !isVisible(first) || properties.isWhitespace { return .ignored }
        if properties.isIdeographic { return .single }
        switch properties.generalCategory {
        case .decimalNumber: return .digit
        case .connectorPunctuation: return .connector
        case .letterNumber, .otherNumber: return .letter
        case .nonspacingMark, .spacingMark, .enclosingMark: return .letter
        default: return properties.isAlphabetic ? .letter : .symbol
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isDefaultIgnorableCodePoint && properties.generalCategory != .control
    }
}
