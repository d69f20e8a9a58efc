// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Invariant: the view's document is alive. Who made its tape has seen to it that a node's offset
// and length stay within the bytes, that no escape of a text is cut off or wrong, and that a byte
// which is no part of a number follows each number; the padding takes loads of 16 behind the last
// byte.

extension NodeView {
    /// Where the content of a string, or the text of a number or literal, begins.
    @inlinable @inline(__always)
    public var contentPointer: UnsafePointer<UInt8> { unsafe bytes + node.offset }

    /// Byte count of a string's content as written, escapes included; meaningless for other nodes.
    @inlinable @inline(__always)
    public var contentLength: Int { Int(truncatingIfNeeded: node.payload) }

    /// Whether the text is the given one, however it was written.
    @inlinable @inline(__always)
    public func isText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let node = node
        if node.kind == .string {
            guard Int(truncatingIfNeeded: node.payload) == text.count else { return false }
            guard let start = text.baseAddress else { return true }
            return unsafe equalBytes(bytes + node.offset, start, text.count)
        }
        return unsafe node.kind == .escapedString && isEscapedText(text)
    }

    /// The text, unescaped; `nil` when the value is not text.
    @inlinable @inline(__always)
    public func string() -> String? {
        let node = node
        if node.kind == .string {
            return unsafe makeString(bytes + node.offset, Int(truncatingIfNeeded: node.payload))
        }
        return node.kind == .escapedString ? unescapedString() : nil
    }

    /// The number as it was written; `nil` when the value is not a number.
    public var numberText: String? {
        guard kind.isNumber else { return nil }
        let text = unsafe numberBytes
        return unsafe makeString(contentPointer, text.count)
    }

    /// The bytes of the number as it was written; only for numbers.
    public var numberBytes: UnsafeBufferPointer<UInt8> {
        let node = node
        let start = unsafe bytes + node.offset
        var length = node.numberLength
        if length == 0xFFFF {
            while unsafe isNumberByte(start[length]) { length &+= 1 }
        }
        return unsafe UnsafeBufferPointer(start: start, count: length)
    }

    /// Calls a closure with the unescaped bytes of a string; with none when it is not text.
    package func withTextBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        let length = kind.isString ? contentLength : 0
        let written = unsafe UnsafeBufferPointer(start: contentPointer, count: length)
        guard kind == .escapedString else { return unsafe body(written) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { buffer in
            let count = unsafe unescape(written, into: buffer)
            return unsafe body(UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }

    @usableFromInline @inline(never)
    func unescapedString() -> String {
        let written = unsafe UnsafeBufferPointer(start: contentPointer, count: contentLength)
        // The bytes are known to be UTF-8, which a string made in place would check again.
        return unsafe withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: contentLength
        ) { buffer in
            let count = unsafe unescape(written, into: buffer)
            guard let start = buffer.baseAddress else { return "" }
            return unsafe makeString(start, count)
        }
    }

    @usableFromInline @inline(never)
    func isEscapedText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count < contentLength else { return false }
        return unsafe withTextBytes { bytes in
            guard bytes.count == text.count else { return false }
            guard let start = bytes.baseAddress, let other = text.baseAddress else {
                return true
            }
            return unsafe memcmp(start, other, bytes.count) == 0
        }
    }
}

/// Compares two runs of bytes of the same length.
///
/// Invariant: both have `count` bytes; loads of 8 end there, as a key of a type has no padding.
@inlinable @inline(__always)
func equalBytes(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int
) -> Bool {
    let left = unsafe UnsafeRawPointer(left)
    let right = unsafe UnsafeRawPointer(right)
    var position = 0
    while position &+ 8 <= count {
        let difference =
            unsafe left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        if difference != 0 { return false }
        position &+= 8
    }
    while position < count {
        if unsafe left.load(fromByteOffset: position, as: UInt8.self)
            != right.load(fromByteOffset: position, as: UInt8.self)
        {
            return false
        }
        position &+= 1
    }
    return true
}

/// A string of bytes already known to be UTF-8.
@inlinable @inline(__always)
func makeString(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return unsafe String(copying: UTF8Span(unchecked: bytes.span))
    }
    return unsafe String(decoding: bytes, as: UTF8.self)
}

/// Whether a byte may be part of a number.
@inline(__always)
func isNumberByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
}

/// Replaces the escapes of a string's content, which are known to be valid.
///
/// - Parameters:
///   - content: What stands between the quotes; the quote follows it.
///   - output: Room for at least as many bytes.
/// - Returns: How many bytes were written.
func unescape(
    _ content: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    guard let base = content.baseAddress, let room = output.baseAddress else {
        return 0
    }
    var source = 0
    var target = 0
    while source < content.count {
        let start = unsafe base + source
        let plain = unsafe min(endOfPlainText(start) - start, content.count &- source)
        unsafe (room + target).update(from: start, count: plain)
        source &+= plain
        target &+= plain
        if source == content.count { break }
        source &+= 1
        let escape = unsafe content[source]
        source &+= 1
        guard escape == UInt8(ascii: "u") else {
            unsafe output[target] = unescaped(escape)
            target &+= 1
            continue
        }
        var scalar = unsafe hexadecimal(content, at: source)
        source &+= 4
        if scalar & 0xFC00 == 0xD800 {
            let low = unsafe hexadecimal(content, at: source &+ 2)
            scalar = 0x10000 &+ (scalar & 0x3FF) << 10 | (low & 0x3FF)
            source &+= 6
        }
        if scalar < 0x80 {
            unsafe output[target] = UInt8(truncatingIfNeeded: scalar)
            target &+= 1
            continue
        }
        let length = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        var rest = scalar
        for position in (1..<length).reversed() {
            unsafe output[target &+ position] = 0x80 | UInt8(truncatingIfNeeded: rest & 0x3F)
            rest >>= 6
        }
        let lead: UInt8 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        unsafe output[target] = lead | UInt8(truncatingIfNeeded: rest)
        target &+= length
    }
    return target
}

/// The character a one-letter escape stands for.
private func unescaped(_ escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: escape
    }
}

private func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
    var value: UInt32 = 0
    for position in start..<start &+ 4 {
        let byte = unsafe bytes[position]
        let digit = byte <= UInt8(ascii: "9") ? byte &- 0x30 : (byte | 0x20) &- 0x57
        value = value << 4 | UInt32(digit)
    }
    return value
}
