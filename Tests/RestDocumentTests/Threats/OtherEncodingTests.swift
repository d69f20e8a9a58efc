// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Well-formed JSON in encodings other than UTF-8.
@Suite struct OtherEncodingTests {
    static let texts = ["[]", "1", #"{"a":1}"#, #""é""#, #"["中文","😀"]"#, " [1]", "null"]

    static let encodings: [(name: String, encoding: String.Encoding, mark: [UInt8])] = [
        ("UTF-16BE", .utf16BigEndian, []), ("UTF-16LE", .utf16LittleEndian, []),
        ("UTF-16BE with a mark", .utf16BigEndian, [0xFE, 0xFF]),
        ("UTF-16LE with a mark", .utf16LittleEndian, [0xFF, 0xFE]),
        ("UTF-32BE", .utf32BigEndian, []), ("UTF-32LE", .utf32LittleEndian, []),
        ("UTF-32BE with a mark", .utf32BigEndian, [0x00, 0x00, 0xFE, 0xFF]),
        ("UTF-32LE with a mark", .utf32LittleEndian, [0xFF, 0xFE, 0x00, 0x00]),
    ]

    @Test(.threat("T08"), arguments: texts, encodings.indices)
    func areRejectedByName(_ text: String, _ index: Int) throws {
        let (name, encoding, mark) = Self.encodings[index]
        let bytes = mark + (try #require(text.data(using: encoding)))
        let error = #expect(throws: DocumentError.self, "\(name)") { try Document(parsing: bytes) }
        #expect(error?.code == .unsupportedEncoding, "\(name)")
        #expect(error?.offset == 0, "\(name)")
        #expect(error?.expected.contains("UTF-8") == true, "\(name)")
    }

    @Test(
        .threat("T08"),
        arguments: [
            ("Latin-1", [0xE9], 2), ("Latin-1 in words", Array("caf".utf8) + [0xE9, 0x73], 5),
            ("Windows-1252", [0x80], 2), ("Shift JIS", [0x93, 0xFA, 0x96, 0x7B], 2),
            ("GB 18030", [0xD6, 0xD0, 0xCE, 0xC4], 2), ("KOI8-R", [0xD4, 0xC5, 0xD3, 0xD4], 2),
            ("CESU-8", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], 2),
            ("modified UTF-8", [0xC0, 0x80], 2),
        ] as [(String, [UInt8], Int)])
    func areRejectedAtFirstInvalidByte(_ name: String, _ text: [UInt8], _ offset: Int) {
        let bytes = [UInt8(ascii: "["), UInt8(ascii: "\"")] + text + Array("\"]".utf8)
        let error = #expect(throws: DocumentError.self) { try Document(parsing: bytes) }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == offset)
        #expect(error?.expected.contains("UTF-8") == true)
    }
}
