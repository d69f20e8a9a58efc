// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Memory, which is bounded by the input of a document and by one element of a stream.
@Suite(.tags(.slow), .withoutSanitizer, .threat("T06")) struct StreamMemoryTests {
    #if DEBUG
    static let streamByteCount = 10_000_000
    static let depth = 1_000_000
    #else
    static let streamByteCount = 1_000_000_000
    static let depth = 10_000_000
    #endif

    /// A chunk with elements of an array, about 64 kB.
    static let chunk: [UInt8] = {
        var text = ""
        while text.utf8.count < 64_000 {
            text += #"{"id":12345,"title":"A title","tags":["a","b"],"author":{"name":"é"}},"#
        }
        return Array(text.utf8)
    }()

    @Test func isConstantForSmallObjects() throws {
        var reader = ElementReader()
        reader.append("[".utf8)
        var (sent, received, largest) = (0, 0, 0)
        while sent < Self.streamByteCount {
            reader.append(Self.chunk)
            sent += Self.chunk.count
            while let document = try reader.next() {
                received += document.root.count == 4 ? 1 : 0
            }
            largest = max(largest, reader.reservedByteCount)
        }
        reader.append("0]".utf8)
        reader.finish()
        while try reader.next() != nil { received += 1 }
        // Each element has one non-ASCII character.
        let expected = sent / Self.chunk.count * Self.chunk.count { $0 == 0xC3 }
        #expect(received == expected + 1)
        #expect(largest < 256_000)
    }

    @Test func isConstantForSkippedText() throws {
        var reader = ElementReader(.elements(at: "items"))
        reader.append(#"{"a":{"b":["#.utf8)
        var (sent, largest) = (0, 0)
        while sent < Self.streamByteCount / 2 {
            reader.append(Self.chunk)
            reader.append(#"[[[{"#.utf8)
            let none = try reader.next()
            #expect(none == nil)
            reader.append(#"}]]],"#.utf8)
            sent += Self.chunk.count
            largest = max(largest, reader.reservedByteCount)
        }
        reader.append(#"0]},"items":[7]}"#.utf8)
        let element = try reader.next()
        #expect(element?.root.int64 == 7)
        #expect(largest < 512_000)
    }

    @Test func isConstantForWhiteSpace() throws {
        var reader = ElementReader()
        let space = [UInt8](repeating: 0x20, count: 60_000) + [0x0A]
        for part in ["[", "1", ",", "2", "]"] {
            reader.append(part.utf8)
            for _ in 0..<50 {
                reader.append(space)
                _ = try reader.next()
            }
        }
        reader.append("x".utf8)
        let error = #expect(throws: DocumentError.self) { try read(&reader) }
        #expect(error?.code == .trailingContent)
        #expect((error?.line, error?.column) == (251, 1))
        #expect(reader.reservedByteCount < 256_000)
    }

    private func read(_ reader: inout ElementReader) throws { _ = try reader.next() }

    /// An element's size in chunks of 1,000 bytes.
    @Test(arguments: [
        "[" + String(repeating: "1,", count: 500_000) + "1]",
        "\"" + String(repeating: "text ", count: 200_000) + "\"",
        String(repeating: "9", count: 1_000_000),
        "{" + (0..<100_000).map { "\"key\($0)\":1" }.joined(separator: ",") + "}",
    ])
    func isBoundedByElement(_ element: String) throws {
        let count = element.utf8.count
        var reader = ElementReader()
        var rest = Array("[\(element),1".utf8)[...]
        var largest = 0
        while !rest.isEmpty {
            reader.append(rest.prefix(1000))
            rest = rest.dropFirst(1000)
            while let document = try reader.next() {
                #expect(document.storage.byteCount == count)
                #expect(
                    reservedByteCount(document) < count + 18 * document.storage.nodeCount + 4096)
                #expect(reservedByteCount(document) < 20 * count)
            }
            largest = max(largest, reader.reservedByteCount)
        }
        // Text and a tape that have grown by half.
        #expect(largest < 2 * count + 24 * count + 200_000)
        // Small elements after it do not keep this memory.
        for _ in 0..<4 {
            reader.append(Array(repeating: UInt8(ascii: " "), count: 1000) + Array(",1".utf8))
            _ = try reader.next()
        }
        #expect(reader.reservedByteCount < 300_000 || largest < 1 << 20)
    }

    /// A document needs 16 bytes for each value or key, at most one per input byte, in a buffer of
    /// which at least a quarter is used.
    @Test(arguments: [
        "[" + String(repeating: "1,", count: 500_000) + "1]",
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        "\"" + String(repeating: "text ", count: 200_000) + "\"",
        "{" + (0..<100_000).map { "\"key\($0)\":1" }.joined(separator: ",") + "}",
    ])
    func isBoundedByDocument(_ text: String) throws {
        let document = try Document(parsing: text)
        #expect(document.storage.nodeCount <= text.utf8.count)
        let reserved = reservedByteCount(document)
        #expect(reserved < text.utf8.count + 4 * 18 * document.storage.nodeCount + 4096)
        #expect(document.issues.isEmpty)
    }

    /// Returns the number of bytes that the allocator reserved for a document.
    private func reservedByteCount(_ document: Document) -> Int {
        #if canImport(Darwin)
        let name = "malloc_size"
        #else
        let name = "malloc_usable_size"
        #endif
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), name) else { return .max }
        typealias SizeOf = @convention(c) (UnsafeRawPointer?) -> Int
        // Invariant: both functions take one pointer and return a size.
        let sizeOf = unsafe unsafeBitCast(symbol, to: SizeOf.self)
        let storage = document.storage
        return unsafe sizeOf(storage.bytes) + sizeOf(storage.nodes)
    }

    @Test func rejectsEndlessTextEarly() throws {
        var limits = ParseLimits.default
        limits.stringByteCount = 100_000
        for (framing, start) in [
            (DocumentFraming.elements, "[\""), (.elements(at: "a"), "{\"b\":\""),
        ] {
            var reader = ElementReader(framing, limits: limits)
            reader.append(start.utf8)
            let error = try rejection(&reader, of: [UInt8](repeating: 0x61, count: 1000))
            #expect(error.code == .limitExceeded)
            #expect(error.offset == start.utf8.count + 100_000)
            #expect(reader.reservedByteCount < 400_000)
        }
    }

    @Test func rejectsEndlessElementEarly() throws {
        var limits = ParseLimits.default
        limits.byteCount = 100_000
        for (framing, start) in [
            (DocumentFraming.elements, "["), (.elements(at: "a"), "{\"b\":"),
            (.lines, ""),
        ] {
            var reader = ElementReader(framing, limits: limits)
            reader.append((start + "1").utf8)
            let error = try rejection(&reader, of: [UInt8](repeating: 0x31, count: 1000))
            #expect(error.code == .limitExceeded)
            #expect(error.offset == start.utf8.count + 100_000)
            #expect(reader.reservedByteCount < 400_000)
        }
    }

    @Test(arguments: [1, 64_000])
    func rejectsTenMillionContainersEarly(_ chunk: Int) throws {
        for (framing, start) in [(DocumentFraming.elements, ""), (.elements(at: "a"), "{\"b\":")] {
            var reader = ElementReader(framing)
            reader.append(start.utf8)
            let error = try rejection(
                &reader, of: [UInt8](repeating: UInt8(ascii: "["), count: chunk))
            #expect(error.code == .limitExceeded)
            #expect(error.offset == start.utf8.count + 512 - (start.isEmpty ? 0 : 1))
            #expect(error.path.components.count == 512)
            #expect(reader.reservedByteCount < 512_000)
        }
    }

    /// Appends the same bytes until they are rejected, at most 10 MB.
    private func rejection(
        _ reader: inout ElementReader, of bytes: [UInt8]
    ) throws -> DocumentError {
        for _ in 0..<(10_000_000 / bytes.count) {
            reader.append(bytes)
            do {
                _ = try reader.next()
            } catch {
                return error
            }
        }
        throw NotRejected()
    }

    private struct NotRejected: Error {}

    @Test func readsDeepContainersWithoutLimit() async throws {
        let result = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: Result {
                        for start in ["", "{\"b\":"] {
                            let framing =
                                start.isEmpty ? DocumentFraming.elements : .elements(at: "a")
                            var reader = ElementReader(framing, limits: .none)
                            reader.append(start.utf8)
                            let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
                            for _ in 0..<(Self.depth / bytes.count) {
                                reader.append(bytes)
                                _ = try reader.next()
                            }
                            reader.finish()
                            let error = #expect(throws: DocumentError.self) {
                                try read(&reader)
                            }
                            #expect(error?.code == .unexpectedEnd)
                            #expect(error?.offset == Self.depth + start.utf8.count)
                            #expect(error?.path.components.count == 512)
                            #expect(reader.reservedByteCount < 40 * Self.depth)
                        }
                    })
            }
            thread.stackSize = 1 << 16
            thread.start()
        }
        try result.get()
    }
}
