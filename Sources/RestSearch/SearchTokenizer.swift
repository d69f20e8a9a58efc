// SPDX-License-Identifier: Apache-2.0

/// Takes text apart into what is searched for: words and symbols, without case and diacritics.
///
/// ```swift
/// let tokenizer = SearchTokenizer(stopWords: ["is", "a"])
/// tokenizer.tokens(in: "This is a Café test!")    // "this", "cafe", "test", "!"
/// ```
///
/// A value that knows no user and no locale: the same text has the same tokens on every machine,
/// as what is searched for has to meet what was indexed years ago.
///
/// - **Words** end where Unicode's default word boundaries are, for scripts that put spaces between
///   them: letters and digits stay together, and across `'` and `.` between letters, or `.` and `,`
///   between digits (`don't`, `example.org`, `3.14`). A colon ends a word, unlike there. Characters
///   of scripts that do not, such as Chinese, Hiragana and Thai, are a token each.
/// - **Symbols**, punctuation included, are tokens of their own, one for each character.
/// - **Dropped** are white space, control characters, and characters that nobody sees.
/// - **Folded** is case as for comparison (`ß` is `ss`), and the diacritics that Latin, Greek and
///   Cyrillic letters carry. Marks without which a letter is another, as in Japanese or Hindi, stay.
///
/// Source: UAX #29, section 4; the Unicode Standard, section 3.13; RestKit's `RKSearchTokenizer`.
public struct SearchTokenizer: Sendable, Hashable {
    /// Tokens that are left out, which may be symbols; compared folded.
    public var stopWords: Set<String> {
        didSet { foldedStopWords = Set(stopWords.map(FoldedText.fold)) }
    }

    private var foldedStopWords: Set<String>

    /// Makes a tokenizer.
    ///
    /// - Parameter stopWords: Tokens to leave out; a text of several tokens is none of them.
    public init(stopWords: Set<String> = []) {
        self.stopWords = stopWords
        foldedStopWords = Set(stopWords.map(FoldedText.fold))
    }

    /// The tokens of a text, each once, without the stop words.
    ///
    /// - Parameter text: Any text, of any length.
    /// - Returns: The tokens, folded.
    /// - Complexity: O(*n*) in the length of the text.
    public func tokens(in text: String) -> Set<String> {
        var tokens: Set<String> = []
        var scan = WordScan(FoldedText.fold(text))
        while let token = scan.next() {
            if !foldedStopWords.contains(token) { tokens.insert(token) }
        }
        return tokens
    }
}
