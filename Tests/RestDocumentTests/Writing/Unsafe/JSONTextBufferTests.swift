// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct JSONTextBufferTests {
    /// Every length around the strides of the scan, with escapes at every offset.
    @Test(arguments: ["\"", "\\", "\u{0}", "\u{1F}", "\n"] as [Character])
    func roundTripsEscapesAtEveryOffset(special: Character) throws {
        for length in 1...40 {
            for place in 0..<length {
                var letters = (0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) }
                letters[place] = special
                letters[(place + 17) % length] = special
                let text = JSONTextBuffer.quoting(String(letters))
                #expect(try Document(parsing: text).root.string == String(letters))
            }
        }
    }

    @Test func copiesTextOfOtherScripts() {
        for text in ["é", "日本語のテキスト、長い方", "\u{1F600}\u{1F600}\u{1F600}\u{1F600}x", "\u{7F}\u{80}"] {
            #expect(JSONTextBuffer.quoting(text) == Array("\"\(text)\"".utf8))
        }
    }

    @Test func replacesInsertsAndTruncatesBytes() {
        let text = JSONTextBuffer(capacity: 8)
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

extension JSONTextBuffer {
    /// Returns the quoted bytes of a text.
    fileprivate static func quoting(_ text: String) -> [UInt8] {
        let encoded = JSONTextBuffer(capacity: 8)
        defer { encoded.free() }
        encoded.appendQuoted(text)
        return unsafe Array(encoded.bytes)
    }
}
