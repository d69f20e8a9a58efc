// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct EncodedTextTests {
    /// Every length around the strides of the scan, and at every place bytes to be escaped.
    @Test(arguments: ["\"", "\\", "\u{0}", "\u{1F}", "\n"] as [Character])
    func textReadsBackWhateverIsEscapedWhere(special: Character) throws {
        for length in 1...40 {
            for place in 0..<length {
                var letters = (0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) }
                letters[place] = special
                letters[(place + 17) % length] = special
                let text = EncodedText.quoting(String(letters))
                #expect(try Document(parsing: text).root.string == String(letters))
            }
        }
    }

    @Test func textOfOtherScriptsIsCopied() {
        for text in ["é", "日本語のテキスト、長い方", "\u{1F600}\u{1F600}\u{1F600}\u{1F600}x", "\u{7F}\u{80}"] {
            #expect(EncodedText.quoting(text) == Array("\"\(text)\"".utf8))
        }
    }

    @Test func bytesAreReplacedInsertedAndTakenBack() {
        let text = EncodedText(capacity: 8)
        defer { text.free() }
        for _ in 0..<100 { text.appendByte(UInt8(ascii: "a")) }
        text.insert(UInt8(ascii: "b"), at: 0)
        text.replace(at: 1, with: UInt8(ascii: "c"))
        text.truncate(to: 3)
        text.appendPlain("tail")
        #expect(text.byte(at: 0) == UInt8(ascii: "b"))
        #expect(text.byte(at: 7) == nil)
        #expect(unsafe Array(text.bytes) == Array("bcatail".utf8))
    }
}

extension EncodedText {
    /// The bytes of a text in quotes.
    fileprivate static func quoting(_ text: String) -> [UInt8] {
        let encoded = EncodedText(capacity: 8)
        defer { encoded.free() }
        encoded.appendQuoted(text)
        return unsafe Array(encoded.bytes)
    }
}
