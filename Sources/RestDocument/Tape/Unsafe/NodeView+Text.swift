// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Invariant: the document of the view is alive. The creator of the tape ensures that offsets and
// lengths are within bounds, that escapes are complete and valid, and that a byte which is not part
// of a number follows each number. The padding allows loads of 16 bytes at the last byte.

extension NodeView {
    /// A pointer to the content of a string, or to the text of a number or literal.
    @inlinable @inline(__always)
    public var contentPointer: UnsafePointer<UInt8> { unsafe bytes + tapeNode.offset }

    /// The number of bytes of a string's content as written, including escapes; undefined for other
    /// nodes.
    @inlinable @inline(__always)
    public var contentLength: Int { Int(truncatingIfNeeded: tapeNode.payload) }

    /// Returns a Boolean value that indicates whether the value is a string with the given
    /// unescaped text.
    @inlinable @inline(__always)
    public func isText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let node = tapeNode
        if node.kind == .string {
            guard Int(truncatingIfNeeded: node.payload) == text.count else { return false }
            guard let start = text.baseAddress else { return true }
            return unsafe equalBytes(bytes + node.offset, start, text.count)
        }
        return unsafe node.kind == .escapedString && isEscapedText(text)
    }

    /// Returns the unescaped text of a string; `nil` for any other value.
    @inlinable @inline(__always)
    public func string() -> String? {
        let node = tapeNode
        if node.kind == .string {
            return unsafe makeString(bytes + node.offset, Int(truncatingIfNeeded: node.payload))
        }
        return node.kind == .escapedString ? unescapedString() : nil
    }

    /// The number as written in the input; `nil` for any other value.
    public var numberText: String? {
        guard kind.isNumber else { return nil }
        let text = unsafe numberBytes
        return unsafe makeString(contentPointer, text.count)
    }

    /// The bytes of a number as written in the input; undefined for other nodes.
    package var numberBytes: UnsafeBufferPointer<UInt8> {
        let node = tapeNode
        let start = unsafe bytes + node.offset
        var length = node.numberLength
        if length == 0xFFFF {
            while unsafe isNumberByte(start[length]) { length &+= 1 }
        }
        return unsafe UnsafeBufferPointer(start: start, count: length)
    }

    /// Calls a closure with the unescaped bytes of a string; with no bytes for any other value.
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
        // Decoding into temporary memory avoids the second validation that
        // `String(unsafeUninitializedCapacity:)` performs.
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
