// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import Testing

@Suite struct XMLSourceTests {
    private static func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
        "\u{FEFF}\(text)".utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isLittleEndian ? bytes.reversed() : bytes
        }
    }

    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8($0.value) }
    }

    private static func declared(_ name: String) -> String {
        "<?xml version='1.0' encoding='\(name)'?>"
    }

    @Test(
        arguments: [
            Array("<é>ü\u{20AC}\u{1F600}</é>".utf8),
            [0xEF, 0xBB, 0xBF] + Array("<é>ü\u{20AC}\u{1F600}</é>".utf8),
            Array("\(declared("utf-8"))<é>ü\u{20AC}\u{1F600}</é>".utf8),
            utf16("<é>ü\u{20AC}\u{1F600}</é>", isLittleEndian: true),
            utf16("<é>ü\u{20AC}\u{1F600}</é>", isLittleEndian: false),
            utf16("\(declared("UTF-16"))<é>ü\u{20AC}\u{1F600}</é>", isLittleEndian: true),
            latin1("\(declared("iso-8859-1"))<é>ü&#x20AC;&#x1F600;</é>"),
            Array("\(declared("us-ascii"))<a>&#xFC;&#x20AC;&#x1F600;</a>".utf8),
        ] as [[UInt8]])
    func readsTextInEveryEncoding(bytes: [UInt8]) throws {
        let document = try XMLFormat().read(bytes)
        #expect(document.root.members.map { $0.value.string } == ["ü\u{20AC}\u{1F600}"])
        #expect(document.root.members.allSatisfy { $0.key == "é" || $0.key == "a" })
    }

    @Test(
        arguments: [
            // The charset replaces the declared encoding.
            ("iso-8859-1", latin1("\(declared("UTF-8"))<a>é</a>")),
            ("windows-1252", latin1("<a>é</a>")),
            ("UTF-8", Array("\(declared("iso-8859-1"))<a>é</a>".utf8)),
            (
                "utf-16",
                Array(utf16("\(declared("UTF-8"))<a>é</a>", isLittleEndian: true).dropFirst(2))
            ),
            ("utf-16", Array(utf16("<a>é</a>", isLittleEndian: false).dropFirst(2))),
            ("UTF-16BE", Array(utf16("<a>é</a>", isLittleEndian: false).dropFirst(2))),
            // A byte order mark precedes it.
            ("iso-8859-1", [0xEF, 0xBB, 0xBF] + Array("<a>é</a>".utf8)),
            ("utf-8", utf16("<a>é</a>", isLittleEndian: true)),
            // US-ASCII and nothing say no more than the declaration.
            ("us-ascii", Array("<a>é</a>".utf8)), ("", latin1("\(declared("latin1"))<a>é</a>")),
        ] as [(String, [UInt8])])
    func charsetPrecedesDeclaredEncoding(charset: String, bytes: [UInt8]) throws {
        let document = try XMLFormat().read(bytes, charset: charset, limits: .default)
        #expect(document.root["a"]?.string == "é")
    }

    @Test func readsWindows1252() throws {
        let bytes =
            Array("\(Self.declared("windows-1252"))<a>".utf8) + [0x80, 0xE9]
            + Array("</a><".utf8)
        #expect(
            try XMLFormat().read(Array(bytes.dropLast())).root["a"]?.string == "\u{20AC}é")
        let error = #expect(throws: DocumentError.self) { try XMLFormat().read(bytes) }
        #expect(error?.offset == bytes.count || error?.offset == bytes.count - 1)
        let unknown = #expect(throws: DocumentError.self) {
            try XMLFormat().read(Array("<a/>".utf8), charset: "koi8-r", limits: .default)
        }
        #expect(unknown?.code == .unsupportedEncoding)
    }

    @Test func readsEveryCharacterOfLatin1() throws {
        let text = String(String.UnicodeScalarView((0xA0...0xFF).map { Unicode.Scalar($0) }))
        let bytes = Self.latin1("\(Self.declared("ISO-8859-1"))<a>\(text)</a>")
        #expect(try XMLFormat().read(bytes).root["a"]?.string == text)
    }

    @Test(
        arguments: [
            Array("\(declared("UTF-7"))<a/>".utf8),
            Array("\(declared("EBCDIC-US"))<a/>".utf8),
            // Declarations that contradict the bytes.
            Array("\(declared("UTF-16"))<a/>".utf8),
            utf16("\(declared("UTF-8"))<a/>", isLittleEndian: true),
            [0xEF, 0xBB, 0xBF] + Array("\(declared("ISO-8859-1"))<a/>".utf8),
            // UTF-16 without a mark, UTF-32.
            [0, 0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E], [0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E, 0],
            [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0, 0x61, 0, 0, 0, 0x2F, 0, 0, 0, 0x3E, 0, 0, 0],
            [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x3C, 0, 0, 0, 0x61, 0, 0, 0, 0x2F, 0, 0, 0, 0x3E],
        ] as [[UInt8]])
    func rejectsOtherEncodings(bytes: [UInt8]) {
        let error = #expect(throws: DocumentError.self) { try XMLFormat().read(bytes) }
        #expect(error?.code == .unsupportedEncoding)
    }

    @Test(
        arguments: [
            (Array("<a>\n x".utf8) + [0xE9] + Array("</a>".utf8), .invalidUTF8, 6, 2, 3),
            ([0xEF, 0xBB, 0xBF, 0x3C, 0xC0, 0x80], .invalidUTF8, 4, 1, 5),
            (Array("<a>".utf8) + [0xED, 0xA0, 0x80], .invalidUTF8, 3, 1, 4),
            (Array("\(declared("US-ASCII"))<a>é</a>".utf8), .unexpectedByte, 44, 1, 45),
            ([0xFF, 0xFE, 0x3C, 0, 0x0A, 0, 0, 0xD8, 0x3E, 0], .loneSurrogate, 6, 2, 1),
            ([0xFE, 0xFF, 0, 0x3C, 0, 0x61, 0], .unexpectedEnd, 6, 1, 7),
        ] as [([UInt8], DocumentError.Code, Int, Int, Int)])
    func locatesInvalidBytes(
        bytes: [UInt8], code: DocumentError.Code, offset: Int, line: Int, column: Int
    ) throws {
        let error = try #require(
            #expect(throws: DocumentError.self) { try XMLFormat().read(bytes) })
        #expect(error.code == code, "\(error)")
        #expect(error.offset == offset, "\(error)")
        #expect([error.line, error.column] == [line, column], "\(error)")
    }

    @Test(arguments: [
        (Array("<é>\u{1F600}é\n€ü<b></é>".utf8), 19, 9),
        ([0xEF, 0xBB, 0xBF] + Array("<é>\u{1F600}é\n€ü<b></é>".utf8), 22, 9),
        (utf16("<é>\u{1F600}é\n€ü<b></é>", isLittleEndian: true), 26, 11),
        (utf16("<é>\u{1F600}é\n€ü<b></é>", isLittleEndian: false), 26, 11),
        (latin1("\(declared("ISO-8859-1"))<é>é\nü<b></é>"), 52, 5),
    ])
    func locatesErrorsInReceivedBytes(bytes: [UInt8], offset: Int, column: Int) throws {
        let error = try #require(
            #expect(throws: DocumentError.self) { try XMLFormat().read(bytes) })
        #expect(error.offset == offset, "\(error)")
        #expect([error.line, error.column] == [2, column], "\(error)")
        #expect(error.path == DocumentPath([.key("é"), .key("b")]))
    }
}
