// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// A UTF-8 byte order mark before JSON, which is skipped (RFC 8259, section 8.1).
@Suite struct ByteOrderMarkTests {
    private static func marked(_ text: String) -> [UInt8] { ByteOrderMark.bytes + text.utf8 }

    @Test(
        .threat("T08"),
        arguments: [
            "[]", "{}", "1", "-0.5e3", "true", "null", #""é""#, " \n[1]", "[1]\n ",
            #"{"a":[1,{"b":"\u00e9"}],"c":{}}"#,
        ])
    func isSkippedBeforeEveryKindOfValue(_ text: String) throws {
        let document = try Document(parsing: Self.marked(text))
        let unmarked = try Document(parsing: text)
        #expect(document == unmarked)
        #expect(document.byteCount == unmarked.byteCount + 3)
        #expect(
            JSONWriter.compact.bytes(of: document) == JSONWriter.compact.bytes(of: unmarked))
        #expect(try Document(parsing: "\u{FEFF}" + text) == unmarked)
    }

    @Test func isSkippedBeforeLongDocuments() throws {
        let text =
            "[" + Array(repeating: #"{"id":1,"name":"ab"}"#, count: 500).joined(separator: ",")
            + "]"
        let document = try Document(parsing: Self.marked(text))
        #expect(JSONWriter.compact.text(of: document) == text)
    }

    @Test func countsInLocationsOfErrors() {
        let cases: [(text: String, code: DocumentError.Code, offset: Int, line: Int, column: Int)] =
            [
                ("", .unexpectedEnd, 3, 1, 4), ("[1,x]", .unexpectedByte, 6, 1, 7),
                ("\n[01]", .invalidNumber, 6, 2, 3), ("[] []", .trailingContent, 6, 1, 7),
                ("\u{FEFF}[]", .unexpectedByte, 3, 1, 4), ("\0[]", .unexpectedByte, 3, 1, 4),
            ]
        for item in cases {
            let bytes = Self.marked(item.text)
            let error = #expect(throws: DocumentError.self) { try Document(parsing: bytes) }
            #expect(error?.code == item.code, "\(item.text)")
            #expect(error?.offset == item.offset, "\(item.text)")
            #expect(error?.line == item.line, "\(item.text)")
            #expect(error?.column == item.column, "\(item.text)")
            for cut in StreamedText.cuts {
                let streamed = StreamedText(bytes, cut: cut).error
                #expect(streamed?.offset == item.offset, "\(item.text), \(cut)")
                #expect(streamed?.column == item.column, "\(item.text), \(cut)")
            }
        }
    }

    @Test func countsInOffsetsOfRepeatedKeys() throws {
        let document = try Document(parsing: Self.marked(#"{"a":1,"a":2}"#))
        #expect(document.issues.map(\.offset) == [10])
        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: Self.marked(#"{"a":1,"a":2}"#), limits: limits)
        }
        #expect(error?.offset == 10)
    }

    @Test func countsInSizeOfDocument() throws {
        var limits = ParseLimits.default
        limits.byteCount = 5
        _ = try Document(parsing: Self.marked("[]"), limits: limits)
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: Self.marked("[] "), limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: [" \u{FEFF}[]", "[\u{FEFF}]", "[]\u{FEFF}", "\u{FEFF}\u{FEFF}[]"])
    func isRejectedAnywhereElse(_ text: String) {
        #expect(throws: DocumentError.self) { try Document(parsing: text) }
        for cut in StreamedText.cuts {
            #expect(StreamedText(text, cut: cut).error != nil)
        }
    }

    @Test(arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x5B, 0x5D]] as [[UInt8]])
    func isRejectedWhenItIsIncomplete(_ bytes: [UInt8]) {
        let error = #expect(throws: DocumentError.self) { try Document(parsing: bytes) }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == 0)
        for cut in 1...bytes.count {
            #expect(StreamedText(bytes, cut: cut).error?.code == .invalidUTF8)
        }
    }

    @Test func isSkippedAtBeginningOfStream() throws {
        let elements = Self.marked(#"[1,{"a":"é"}]"#)
        let inner = Self.marked(#"{"items":[1,{"a":"é"}]}"#)
        let lines = Self.marked("1\n\n{\"a\":\"é\"}")
        for cut in StreamedText.cuts {
            for (bytes, framing) in [
                (elements, DocumentFraming.elements), (inner, .elements(at: "items")),
                (lines, .lines),
            ] {
                let streamed = StreamedText(bytes, cut: cut, framing)
                #expect(streamed.texts == ["1", #"{"a":"é"}"#], "\(cut), \(framing)")
                #expect(streamed.error == nil, "\(cut), \(framing)")
            }
        }
        #expect(StreamedText(Self.marked(""), .lines).error == nil)
    }

    @Test func isRejectedBeforeLaterLines() {
        let bytes = Self.marked("1\n\u{FEFF}2\n")
        for cut in StreamedText.cuts {
            let streamed = StreamedText(bytes, cut: cut, .lines)
            #expect(streamed.texts == ["1"])
            #expect(streamed.error?.code == .unexpectedByte)
            #expect(streamed.error?.offset == 5)
            #expect(streamed.error?.line == 2)
        }
    }
}
