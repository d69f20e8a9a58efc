// SPDX-License-Identifier: Apache-2.0

import RestSearch
import TestSupport
import Testing

@Suite struct SearchTokenizerTests {
    @Test(.parity("M384", "X030")) func lowercasesWords() {
        #expect(SearchTokenizer().tokens(in: "This is a test") == ["this", "is", "a", "test"])
    }

    @Test(.parity("M385", "X031")) func splitsSymbolsAndDropsSpaces() {
        #expect(
            SearchTokenizer().tokens(in: "This is a symbol test! $")
                == ["this", "is", "a", "symbol", "test", "!", "$"])
    }

    @Test(.parity("M386", "X032")) func omitsStopWords() {
        let tokens = SearchTokenizer(stopWords: ["is", "a"]).tokens(in: "This is a stop word test")
        #expect(tokens == ["this", "stop", "word", "test"])
    }

    @Test(.parity("M387", "X033")) func omitsSymbolsAsStopWords() {
        let tokenizer = SearchTokenizer(stopWords: ["is", "a", "!", "%"])
        #expect(
            tokenizer.tokens(in: "This is a stop word symbol test! # %")
                == ["this", "stop", "word", "symbol", "test", "#"])
    }

    @Test func comparesStopWordsFolded() {
        var tokenizer = SearchTokenizer(stopWords: ["É"])
        #expect(tokenizer.tokens(in: "e É é E\u{301} f") == ["f"])
        tokenizer.stopWords = ["F"]
        #expect(tokenizer.tokens(in: "e f") == ["e"])
        #expect(tokenizer == SearchTokenizer(stopWords: ["F"]))
    }

    static let folded: [(String, Set<String>)] = [
        // Diacritics and case, precomposed and decomposed.
        ("Café CAFE\u{301} cafe", ["cafe"]), ("Ångström", ["angstrom"]), ("Việt", ["viet"]),
        ("STRASSE straße", ["strasse"]), ("ΟΔΟΣ οδός", ["οδοσ"]), ("Йод", ["иод"]),
        ("İstanbul ISTANBUL", ["istanbul"]), ("ﬁn", ["fin"]),
        ("co\u{AD}operate", ["cooperate"]),
        // Typographic forms.
        ("don\u{2019}t don't don\u{2018}t don\u{FF07}t", ["don't"]), ("3\u{FF0E}14", ["3.14"]),
        ("e\u{2011}mail \u{201C}x\u{201D}", ["e", "-", "mail", "\"", "x"]),
        // Marks that make a different letter.
        ("が", ["が"]), ("か\u{3099}", ["が"]), ("한국어", ["한국어"]), ("हिन्दी", ["हिन्दी"]),
    ]

    @Test(arguments: folded)
    func foldsCaseAndDiacritics(_ text: String, _ tokens: Set<String>) {
        #expect(SearchTokenizer().tokens(in: text) == tokens)
    }

    static let words: [(String, Set<String>)] = [
        ("don't rock'n'roll 'quoted'", ["don't", "rock'n'roll", "quoted", "'"]),
        ("see example.org.", ["see", "example.org", "."]),
        ("3.14 1,000 2;3 1.a a.1", ["3.14", "1,000", "2;3", "1", ".", "a"]),
        ("snake_case _ a_1", ["snake_case", "_", "a_1"]),
        ("A4 h2o 4ever", ["a4", "h2o", "4ever"]), ("well-known", ["well", "-", "known"]),
        ("key:value", ["key", ":", "value"]), ("東京タワー", ["東", "京", "タワー"]),
        ("タワーtower", ["タワー", "tower"]), ("ひら", ["ひ", "ら"]), ("ไทย", ["ไ", "ท", "ย"]),
        ("שלום", ["שלום"]), ("a👨‍👩‍👧b!!", ["a", "👨‍👩‍👧", "b", "!"]),
        ("a.", ["a", "."]), (".", ["."]), ("a'", ["a", "'"]),
    ]

    @Test(arguments: words)
    func splitsAtWordBoundaries(_ text: String, _ tokens: Set<String>) {
        #expect(SearchTokenizer().tokens(in: text) == tokens)
    }

    static let invisible = [
        "", " ", "\t\r\n \u{A0}\u{2003}\u{3000}", "\u{0}\u{7F}", "\u{AD}\u{200B}\u{FEFF}",
    ]

    @Test(arguments: invisible)
    func dropsInvisibleCharacters(_ text: String) {
        #expect(SearchTokenizer().tokens(in: text).isEmpty)
        #expect(SearchTokenizer().tokens(in: "a" + text + " b") == ["a", "b"])
    }
}
