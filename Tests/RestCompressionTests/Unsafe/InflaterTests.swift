// SPDX-License-Identifier: Apache-2.0

import RestCompression
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct InflaterTests {
    private static let text = "hello world hello world"

    /// A text in raw deflate, without the wrapper of zlib: two bytes before it, four after it.
    private static let rawDeflate = Array(Gzip.storedWithZlib(text).dropFirst(2).dropLast(4))

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let coding: ContentCoding
        let bytes: [UInt8]
    }

    static let examples = [
        Example(testDescription: "gzip", coding: .gzip, bytes: Gzip.stored(text)),
        Example(testDescription: "zlib", coding: .deflate, bytes: Gzip.storedWithZlib(text)),
        Example(testDescription: "raw deflate", coding: .deflate, bytes: rawDeflate),
    ]

    /// Decodes bytes that arrive in portions.
    private func decode(
        _ bytes: [UInt8], with inflater: Inflater, portion: Int = .max
    ) throws -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var input = rest.prefix(portion)
            rest = rest.dropFirst(input.count)
            while true {
                let piece = try inflater.decode(&input)
                if piece.isEmpty { break }
                decoded += piece
            }
            #expect(input.isEmpty)
        }
        return decoded
    }

    @Test(arguments: examples, [1, 2, 3, 7, .max])
    func decodesPortions(example: Example, portion: Int) throws {
        let inflater = Inflater(example.coding)
        let decoded = try decode(example.bytes, with: inflater, portion: portion)
        #expect(String(decoding: decoded, as: UTF8.self) == Self.text)
        #expect(!inflater.isTruncated)
        #expect(inflater.encodedByteCount == example.bytes.count)
    }

    @Test(arguments: examples) func recognizesTruncation(example: Example) throws {
        for count in 1..<example.bytes.count {
            let inflater = Inflater(example.coding)
            _ = try decode(Array(example.bytes.prefix(count)), with: inflater)
            #expect(inflater.isTruncated, "\(count) bytes")
        }
    }

    @Test func noBytesAreComplete() {
        #expect(!Inflater(.gzip).isTruncated)
        #expect(!Inflater(.deflate).isTruncated)
    }

    @Test func decodesSeveralGzipMembers() throws {
        let members = Gzip.stored("hello ") + Gzip.stored("world")
        for portion in [1, 5, .max] {
            let inflater = Inflater(.gzip)
            let decoded = try decode(members, with: inflater, portion: portion)
            #expect(String(decoding: decoded, as: UTF8.self) == "hello world")
            #expect(!inflater.isTruncated)
        }
    }

    @Test(
        arguments: [
            (.gzip, Array(text.utf8)), (.gzip, Gzip.stored(text, checksum: 1)),
            (.deflate, Gzip.storedWithZlib(text) + [0]), (.gzip, Gzip.stored(text) + [0, 0]),
        ] as [(ContentCoding, [UInt8])])
    func rejectsCorruptData(coding: ContentCoding, bytes: [UInt8]) {
        #expect(throws: Inflater.DataError.self) { try decode(bytes, with: Inflater(coding)) }
    }

    @Test func limitsDecodedBytesPerCall() throws {
        let inflater = Inflater(.gzip)
        var input = Gzip.zeros(megabytes: 1)[...]
        var count = 0
        while true {
            let piece = try inflater.decode(&input)
            if piece.isEmpty { break }
            #expect(piece.count <= 64 << 10)
            count += piece.count
        }
        #expect(count == 1 << 20)
        #expect(!inflater.isTruncated)
    }

    @Test func decodesOutputThatFillsTheBuffer() throws {
        for count in [65_535, 65_536, 131_070, 131_072] {
            let text = String(repeating: "a", count: count)
            for portion in [1000, .max] {
                let inflater = Inflater(.deflate)
                let raw = Self.storedBlocks(Array(text.utf8))
                #expect(try decode(raw, with: inflater, portion: portion).count == count)
                #expect(!inflater.isTruncated)
            }
        }
    }

    /// Returns bytes in raw deflate, in stored blocks.
    private static func storedBlocks(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            let (low, high) = (UInt8(part.count & 0xFF), UInt8(part.count >> 8))
            output += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + part
        } while !rest.isEmpty
        return output
    }
}
