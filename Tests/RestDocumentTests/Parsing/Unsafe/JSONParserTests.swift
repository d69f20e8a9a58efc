// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite struct JSONParserTests {
    /// Invalid input and its expected error.
    struct InvalidInput: Sendable, CustomTestStringConvertible {
        let text: String
        let code: DocumentError.Code
        let offset: Int
        let path: DocumentPath

        init(_ text: String, _ code: DocumentError.Code, at offset: Int, _ path: DocumentPath = "")
        {
            self.text = text
            self.code = code
            self.offset = offset
            self.path = path
        }

        var testDescription: String { text.debugDescription }
    }

    static let invalidInputs: [InvalidInput] = [
        InvalidInput("", .unexpectedEnd, at: 0),
        InvalidInput("  ", .unexpectedEnd, at: 2),
        InvalidInput("[", .unexpectedEnd, at: 1, "[0]"),
        InvalidInput("[1", .unexpectedEnd, at: 2, "[0]"),
        InvalidInput("[1,", .unexpectedEnd, at: 3, "[1]"),
        InvalidInput("[1,]", .unexpectedByte, at: 3, "[1]"),
        InvalidInput("[1 2]", .unexpectedByte, at: 3, "[0]"),
        InvalidInput("[1,,2]", .unexpectedByte, at: 3, "[1]"),
        InvalidInput("]", .unexpectedByte, at: 0),
        InvalidInput("[}", .unexpectedByte, at: 1, "[0]"),
        InvalidInput("{]", .unexpectedByte, at: 1),
        InvalidInput("{", .unexpectedEnd, at: 1),
        InvalidInput(#"{"a""#, .unexpectedEnd, at: 4, "a"),
        InvalidInput(#"{"a" 1}"#, .unexpectedByte, at: 5, "a"),
        InvalidInput(#"{"a":}"#, .unexpectedByte, at: 5, "a"),
        InvalidInput(#"{"a":1,}"#, .unexpectedByte, at: 7),
        InvalidInput(#"{"a":1 "b":2}"#, .unexpectedByte, at: 7),
        InvalidInput(#"{a:1}"#, .unexpectedByte, at: 1),
        InvalidInput(#"{1:1}"#, .unexpectedByte, at: 1),
        InvalidInput("{'a':1}", .unexpectedByte, at: 1),
        InvalidInput(#"{"a":[1,{"b":tru}]}"#, .unexpectedByte, at: 13, "a[1].b"),
        InvalidInput(
            #"{"x":[[1],{"y":{}}],"a":[0,{"c":[],"b":nul}]}"#, .unexpectedByte, at: 39, "a[1].b"),
        InvalidInput(#"{"a":{"b":1},"c":"#, .unexpectedEnd, at: 17, "c"),
        InvalidInput("nul", .unexpectedByte, at: 0),
        InvalidInput("True", .unexpectedByte, at: 0),
        InvalidInput("NaN", .unexpectedByte, at: 0),
        InvalidInput("Infinity", .unexpectedByte, at: 0),
        InvalidInput("-Infinity", .invalidNumber, at: 1),
        InvalidInput("+1", .unexpectedByte, at: 0),
        InvalidInput(".5", .unexpectedByte, at: 0),
        InvalidInput("01", .invalidNumber, at: 1),
        InvalidInput("-01", .invalidNumber, at: 2),
        InvalidInput("-", .unexpectedEnd, at: 1),
        InvalidInput("1.", .unexpectedEnd, at: 2),
        InvalidInput("[1.]", .invalidNumber, at: 3, "[0]"),
        InvalidInput("[1.e5]", .invalidNumber, at: 3, "[0]"),
        InvalidInput("[1e]", .invalidNumber, at: 3, "[0]"),
        InvalidInput("[1e+]", .invalidNumber, at: 4, "[0]"),
        InvalidInput("[1.5.5]", .unexpectedByte, at: 4, "[0]"),
        InvalidInput("1 2", .trailingContent, at: 2),
        InvalidInput("{}{}", .trailingContent, at: 2),
        InvalidInput("[] // comment", .trailingContent, at: 3),
        InvalidInput("[1 /* comment */]", .unexpectedByte, at: 3, "[0]"),
        InvalidInput("1,2", .trailingContent, at: 1),
        InvalidInput("[]\u{0}", .trailingContent, at: 2),
        InvalidInput("[\u{0}]", .unsupportedEncoding, at: 0),
        InvalidInput("[1,\u{0}]", .unexpectedByte, at: 3, "[1]"),
        InvalidInput("\"abc", .unexpectedEnd, at: 4),
        InvalidInput(#"["abc\"]"#, .unexpectedEnd, at: 8, "[0]"),
        InvalidInput("[\"a\nb\"]", .invalidString, at: 3, "[0]"),
        InvalidInput("[\"a\u{1F}\"]", .invalidString, at: 3, "[0]"),
        InvalidInput("{\"a\tb\":1}", .invalidString, at: 3),
        InvalidInput("{\"k\":\"a\tb\"}", .invalidString, at: 7, "k"),
        InvalidInput(#"["\a"]"#, .invalidEscape, at: 2, "[0]"),
        InvalidInput(#"["\u12G4"]"#, .invalidEscape, at: 2, "[0]"),
        InvalidInput(#"["\U0041"]"#, .invalidEscape, at: 2, "[0]"),
        InvalidInput(#"["\ud800"]"#, .loneSurrogate, at: 2, "[0]"),
        InvalidInput(#"["\udc00"]"#, .loneSurrogate, at: 2, "[0]"),
        InvalidInput(#"["\ud800\u0041"]"#, .loneSurrogate, at: 2, "[0]"),
        InvalidInput(#"{"\udfff":1}"#, .loneSurrogate, at: 2),
        InvalidInput("[1,\n 2,\n  x]", .unexpectedByte, at: 10, "[2]"),
        InvalidInput("\u{A0}1", .unexpectedByte, at: 0),
        InvalidInput("[1\u{0C}]", .unexpectedByte, at: 2, "[0]"),
    ]

    @Test(.threat("T04", "T07"), arguments: invalidInputs)
    func reportsErrorAndPosition(_ input: InvalidInput) throws {
        let error = try #require(
            #expect(throws: DocumentError.self) { try Document(parsing: input.text) })
        #expect(error.code == input.code)
        #expect(error.offset == input.offset)
        #expect(error.path == input.path)
        let before = Array(input.text.utf8).prefix(error.offset)
        #expect(error.line == before.filter { $0 == 0x0A }.count + 1)
        #expect(error.column == before.reversed().prefix { $0 != 0x0A }.count + 1)
        #expect(error.description.hasPrefix("\(error.code)"))
        #expect(!error.description.contains("\n"))
    }

    @Test func describesErrorInOneLine() throws {
        let error = try #require(
            #expect(throws: DocumentError.self) {
                try Document(parsing: #"{"articles": [{"id": 1},\#n {"id": 01}]}"#)
            })
        #expect(
            error.description
                == "invalidNumber at articles[1].id, line 2, column 10 (byte 34): "
                + "no digit after a leading zero")
    }

    @Test(
        .threat("T08"),
        arguments: [
            [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00],
            [0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D],
            [0x5B, 0x00, 0x5D, 0x00],
            [0x00, 0x5B, 0x00, 0x5D],
            [0xFF, 0xFE, 0x00, 0x00, 0x5B, 0x00, 0x00, 0x00],
            [0x00, 0x00, 0xFE, 0xFF, 0x00, 0x00, 0x00, 0x5B],
            [0x5B, 0x00, 0x00, 0x00, 0x5D, 0x00, 0x00, 0x00],
            [0x00, 0x00, 0x00, 0x5B, 0x00, 0x00, 0x00, 0x5D],
        ] as [[UInt8]])
    func rejectsOtherEncodings(_ bytes: [UInt8]) {
        let error = #expect(throws: DocumentError.self) { try Document(parsing: bytes) }
        #expect(error?.code == .unsupportedEncoding)
        #expect(error?.expected.contains("UTF-8") == true)
    }

    @Test func acceptsAllWhiteSpace() throws {
        let space = " \t\r\n          \n\t  \r\n \n"
        let text = ["{", "\"a\"", ":", "[", "1", ",", "{", "}", ",", "[", "]", "]", "}"]
            .joined(separator: space)
        let document = try Document(parsing: space + text + space)
        #expect(JSONWriter.compact.text(of: document) == #"{"a":[1,{},[]]}"#)
    }

    @Test func unescapesEveryEscape() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0000\u00e9\u20AC\ud83d\uDE00 and \u0041 plain""#
        let string = try Document(parsing: text).root.string
        #expect(
            string == "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{E9}\u{20AC}\u{1F600} and A plain")
    }

    @Test(arguments: 0..<70)
    func findsEscapesAndEndsAtEveryOffset(_ length: Int) throws {
        let plain = String(repeating: "x", count: length)
        for tail in ["", "é", "€uro", "\u{1F600}", "\u{7F}"] {
            let text = plain + tail
            #expect(try Document(parsing: "\"\(text)\"").root.string == text)
            let escaped = try Document(parsing: "[\"\(text)\\n\(text)\",\"\(text)\"]").root
            #expect(escaped[0]?.string == text + "\n" + text)
            #expect(escaped[1]?.string == text)
        }
        #expect(throws: DocumentError.self) { try Document(parsing: "\"\(plain)\u{1}\"") }
        #expect(throws: DocumentError.self) { try Document(parsing: "\"\(plain)") }
    }

    @Test func readsEveryCodePoint() throws {
        var scalars = ""
        for value in stride(from: UInt32(0x20), to: 0x110000, by: 61) {
            guard let scalar = Unicode.Scalar(value), value != 0x22, value != 0x5C else { continue }
            scalars.unicodeScalars.append(scalar)
        }
        #expect(try Document(parsing: "\"\(scalars)\"").root.string == scalars)
    }
}
