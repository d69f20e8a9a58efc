// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// JSON text that grows at its end.
///
/// Invariant: `start` is room for `capacity` bytes made by `malloc`, the first `count` of which are
/// written. Who holds the text gives it back once, by `free` or to a ``DocumentStorage``.
@safe
package struct EncodedText {
    private(set) var start: UnsafeMutablePointer<UInt8>
    package private(set) var count = 0
    private var capacity: Int

    package init(capacity: Int = 512) {
        self.capacity = capacity
        unsafe start = allocateBytes(capacity)
    }

    /// Gives back the room.
    package func free() { unsafe discard(start) }

    /// The text written so far.
    package var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: start, count: count)
    }

    /// Forgets what was written from a place on.
    package mutating func truncate(to count: Int) { self.count = count }

    /// Makes room for so many bytes more.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more + 64)
        guard let room = unsafe realloc(UnsafeMutableRawPointer(start), capacity) else {
            preconditionFailure("out of memory for a text of \(capacity) bytes")
        }
        unsafe start = room.bindMemory(to: UInt8.self, capacity: capacity)
    }

    /// Puts a byte in the place of one that is written.
    package mutating func replace(at place: Int, with byte: UInt8) {
        precondition(place < count)
        unsafe start[place] = byte
    }

    /// The byte at a place, if that is written.
    package func byte(at place: Int) -> UInt8? { place < count ? unsafe start[place] : nil }

    /// Puts a byte before what is written from a place on.
    package mutating func insert(_ byte: UInt8, at place: Int) {
        precondition(place <= count)
        reserve(1)
        unsafe (start + place + 1).update(from: start + place, count: count &- place)
        unsafe start[place] = byte
        count &+= 1
    }

    // MARK: Bytes

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe start[count] = byte
        count &+= 1
    }

    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (start + count).update(from: source, count: bytes.count)
        count &+= bytes.count
    }

    /// Appends ASCII that needs no escapes.
    @inline(__always)
    mutating func append(_ literal: StaticString) {
        unsafe append(
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends text that needs no escapes.
    package mutating func appendPlain(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    /// Appends a part of another text.
    mutating func append(_ other: EncodedText, _ range: Range<Int>) {
        unsafe append(UnsafeBufferPointer(rebasing: other.bytes[range]))
    }

    /// Spreads the bytes from a place on.
    @inline(__always)
    mutating func hash(from place: Int) -> UInt32 {
        reserve(8)
        return unsafe keyHash(start + place, count &- place)
    }

    /// Copies the text and gives back the room.
    consuming func array() -> [UInt8] {
        let copy = unsafe [UInt8](bytes)
        free()
        return copy
    }

    /// Makes a document of the text, which is valid, and gives the room to it.
    package consuming func document() throws(DocumentError) -> Document {
        reserve(DocumentStorage.padding)
        return try unsafe Document(adopting: start, byteCount: count, limits: .none)
    }

    // MARK: Values

    /// Appends text in quotes.
    @inline(__always)
    package mutating func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { unsafe appendQuoted($0) }
    }

    private mutating func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserve(bytes.count &+ 2)
        let out = unsafe start + count
        unsafe out[0] = UInt8(ascii: "\"")
        guard unsafe copyPlain(bytes, to: out + 1) else {
            unsafe appendEscaped(bytes)
            return
        }
        unsafe out[bytes.count &+ 1] = UInt8(ascii: "\"")
        count &+= bytes.count &+ 2
    }

    @inline(never)
    private mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An escape is at most six bytes.
        reserve(bytes.count * 6 + 2)
        var out = unsafe start + count
        unsafe out.pointee = UInt8(ascii: "\"")
        unsafe out = writeEscaped(bytes, to: out + 1)
        unsafe out.pointee = UInt8(ascii: "\"")
        count = unsafe out - start + 1
    }

    package mutating func append(_ value: Bool) { append(value ? "true" : "false") }

    mutating func append(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            append(magnitude: value.magnitude, isNegative: value < 0)
        } else if let value = UInt64(exactly: value) {
            append(magnitude: value, isNegative: false)
        } else {
            appendPlain(value.description)
        }
    }

    /// Appends a whole number.
    package mutating func append(whole value: Int64) {
        append(magnitude: value.magnitude, isNegative: value < 0)
    }

    private mutating func append(magnitude: UInt64, isNegative: Bool) {
        reserve(20)
        if isNegative {
            unsafe start[count] = UInt8(ascii: "-")
            count &+= 1
        }
        let length = digitCount(magnitude)
        unsafe writeDigits(magnitude, length, to: start + count)
        count &+= length
    }

    /// Appends a number with the fewest digits that read back as the same double.
    package mutating func append(_ value: Double) { appendPlain(value.description) }

    /// Appends a number with the fewest digits that read back as the same float.
    package mutating func append(_ value: Float) { appendPlain(value.description) }
}

private func discard(_ room: UnsafeMutablePointer<UInt8>) { unsafe free(room) }
