// SPDX-License-Identifier: Apache-2.0

/// Splits text into tokens for searching: words and symbols, without case and diacritics.
///
/// ```swift
/// let tokenizer = SearchTokenizer(stopWords: ["is", "a"])
/// tokenizer.tokens(in: "This is a Café test!")    // "this", "cafe", "test", "!"
/// ```
///
/// Tokens do not depend on a user or a locale: the same text has the same tokens on every machine, so
/// that a search finds text that was indexed years ago.
///
/// - **Words** end at Unicode's default word boundaries in scripts that separate words by spaces. A
///   word contains letters and digits, `'` and `.` between letters, and `.` and `,` between digits
///   (`don't`, `example.org`, `3.14`). Unlike in Unicode, a colon ends a word. In other scripts, such
///   as Chinese, Hiragana and Thai, each character is a token.
/// - **Symbols**, including punctuation, are tokens of one character.
/// - **White space**, control characters and invisible characters are dropped.
/// - **Case** is folded as for comparison (`ß` is `ss`), and so are the diacritics of Latin, Greek and
///   Cyrillic letters. Marks that make a different letter, as in Japanese or Hindi, are kept.
/// - **Typographic forms** of the apostrophe, quotation marks and the hyphen are those of ASCII, so that
///   `don’t` is `don't`.
///
/// - Source: UAX #29, section 4; the Unicode Standard, section 3.13; RestKit's `RKSearchTokenizer`.
public struct SearchTokenizer: Sendable, Hashable {
    /// The tokens to leave out, including symbols, which are compared after folding.
    public var stopWords: Set<String> {
        didSet { foldedStopWords = Set(stopWords.map(TextFolding.fold)) }
    }

    private var foldedStopWords: Set<String>

    /// Creates a tokenizer.
    ///
    /// - Parameter stopWords: The tokens to leave out. A text of several tokens has no effect.
    public init(stopWords: Set<String> = []) {
        self.stopWords = stopWords
        foldedStopWords = Set(stopWords.map(TextFolding.fold))
    }

    /// Returns the distinct tokens of a text, folded and without the stop words.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func tokens(in text: String) -> Set<String> { Set(words(in: text)) }

    /// Returns the tokens of a text in their order, folded and without the stop words.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func words(in text: String) -> [String] {
        var words: [String] = []
        var scanner = WordScanner(TextFolding.fold(text))
        while let word = scanner.next() {
            if !foldedStopWords.contains(word) { words.append(word) }
        }
        return words
    }

    /// A token and its place in a text.
    public struct Occurrence: Sendable, Hashable {
        /// The token, folded.
        public let word: String
        /// The range in the text as written.
        public let range: Range<String.Index>
    }

    /// Returns the tokens of a text in their order, with their ranges, for highlighting.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public func occurrences(in text: String) -> [Occurrence] {
        var occurrences: [Occurrence] = []
        var scanner = WordScanner(text)
        while let range = scanner.nextRange() {
            let word = TextFolding.fold(String(text[range]))
            if !foldedStopWords.contains(word) {
                occurrences.append(Occurrence(word: word, range: range))
            }
        }
        return occurrences
    }
}
