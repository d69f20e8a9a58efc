// SPDX-License-Identifier: Apache-2.0

import RestCurl
import TestSupport
import Testing

@Suite struct ChunkedBodyReaderTests {
    private struct Reading: Equatable {
        var content = ""
        var isAtEnd = false
        var trailerByteCount = 0
        /// The bytes after the last chunk.
        var rest = ""
    }

    /// Reads a text that arrives in portions.
    private func read(_ text: String, portion: Int = .max) throws -> Reading {
        var reader = ChunkedBodyReader()
        var reading = Reading()
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let part = Array(bytes.prefix(portion))
            bytes = bytes.dropFirst(part.count)
            var position = 0
            while let range = try reader.next(in: part.span, from: &position) {
                reading.content += String(decoding: part[range], as: UTF8.self)
            }
            reading.rest += String(decoding: part[position...], as: UTF8.self)
            #expect(reader.isTruncated == !reader.isAtEnd)
        }
        reading.isAtEnd = reader.isAtEnd
        reading.trailerByteCount = reader.trailerByteCount
        return reading
    }

    static let whole: [(text: String, content: String, trailerByteCount: Int)] = [
        ("0\r\n\r\n", "", 2),
        ("5\r\nhello\r\n0\r\n\r\n", "hello", 2),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world", 2),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", 2),
        ("0000a\r\n0123456789\r\n000\r\n\r\n", "0123456789", 2),
        ("5;a=\"b\"\r\nhello\r\n0;c\r\n\r\n", "hello", 2),
        ("5 \t;a\r\nhello\r\n0 \r\n\r\n", "hello", 2),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", 2),
        ("1\r\na\r\n0\r\nX: 1\r\nY: 2\r\n\r\n", "a", 14),
    ]

    @Test(.threat("T15"), arguments: whole, [1, 2, 3, 7, .max])
    func readsChunks(_ example: (String, String, Int), portion: Int) throws {
        let (text, content, trailerByteCount) = example
        var expected = Reading(content: content, isAtEnd: true, trailerByteCount: trailerByteCount)
        #expect(try read(text, portion: portion) == expected)
        expected.rest = "HTTP/1.1"
        #expect(try read("\(text)HTTP/1.1", portion: portion) == expected)
    }

    @Test(.threat("T14"), arguments: whole.map(\.text))
    func recognizesTruncation(text: String) throws {
        for count in 1..<text.utf8.count {
            let truncated = String(decoding: text.utf8.prefix(count), as: UTF8.self)
            #expect(try !read(truncated).isAtEnd, "\(count) bytes")
        }
        #expect(!ChunkedBodyReader().isAtEnd)
        #expect(!ChunkedBodyReader().isTruncated)
    }

    @Test(
        .threat("T15"),
        arguments: [
            "\r\nhello", "five\r\n", "-5\r\n", "+5\r\n", "0x5\r\n", " 5\r\n", "5\nhello", "5\r\r\n",
            "10000000000000005\r\n", "4\r\nhello\r\n", "6\r\nhello\r\n0", "5\r\nhello\n0",
            "5\r\nhello\r0", "5;a\u{1}\r\n", "5;a\n", "5\0\r\n", "0\r\n\n", "0\r\nX: 1\n",
            "0\r\nX: 1\r\r\n", ";a\r\n",
        ], [1, .max])
    func rejectsMalformedChunks(text: String, portion: Int) {
        #expect(throws: ChunkedBodyReader.FramingError.self) { try read(text, portion: portion) }
    }

    @Test func limitsSizeLines() throws {
        let extensionByteCount = ChunkedBodyReader.lineByteCount - 3
        let extended = String(repeating: "a", count: extensionByteCount)
        #expect(try read("0;\(extended)\r\n\r\n").isAtEnd)
        #expect(throws: ChunkedBodyReader.FramingError.self) { try read("0;\(extended)a\r\n\r\n") }
        let padded = String(repeating: "0", count: extensionByteCount + 2)
        #expect(try read("\(padded)\r\n\r\n").isAtEnd)
        #expect(throws: ChunkedBodyReader.FramingError.self) { try read("\(padded)0\r\n\r\n") }
    }

    @Test func acceptsSizesOf64Bits() throws {
        let reading = try read("FFFFFFFFFFFFFFFF\r\nhello")
        #expect(reading.content == "hello")
        #expect(!reading.isAtEnd)
    }
}
