// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct TextFormatTests {
    @Test(arguments: ["", "text", "zwei\nZeilen\r\n", "{\"a\": 1}", "\u{FEFF}mark", "a\u{0}b", "😭"])
    func preservesText(text: String) throws {
        let document = try TextFormat().read(Array(text.utf8))
        #expect(document.root.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(try TextFormat().write(document) == Array(text.utf8))
    }

    @Test func locatesInvalidUTF8() {
        let bytes = Array("é\nab".utf8) + [0xFF, 0x61]
        let error = #expect(throws: DocumentError.self) { try TextFormat().read(bytes) }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == 5)
        #expect(error?.line == 2)
        #expect(error?.column == 3)
    }

    @Test func limitsNumberOfBytes() {
        var limits = ParseLimits.default
        limits.byteCount = 3
        #expect(throws: Never.self) { try TextFormat().read([0x61, 0x62, 0x63], limits: limits) }
        let error = #expect(throws: DocumentError.self) {
            try TextFormat().read(Array("abcd".utf8), limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: [["text"], [:], nil, 1, true] as [Document])
    func writesOnlyStrings(document: Document) {
        let error = #expect(throws: DocumentError.self) { try TextFormat().write(document) }
        #expect(error?.code == .unwritableValue)
    }

    @Test func readsTypesThatItIsRegisteredFor() throws {
        var formats = FormatRegistry.standard
        #expect(formats.format(for: "text/html") == nil)
        formats.register(TextFormat(), for: "text/plain", "text/*")
        let bytes = Array("<p>".utf8)
        #expect(try formats.read(bytes, as: "text/html").root.string == "<p>")
        #expect(try formats.write("<p>", as: "text/plain") == bytes)
        #expect(formats.accepted == ["text/plain", .json])
    }
}
