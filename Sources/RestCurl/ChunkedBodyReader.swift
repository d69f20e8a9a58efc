// SPDX-License-Identifier: Apache-2.0

/// An incremental parser of the chunked transfer coding that follows the grammar strictly.
///
/// libcurl decodes the coding as well, but accepts lines that end without CR, and so accepts a chunk
/// that is shorter than its size.
///
/// - Source: RFC 9112 §7.1.
package struct ChunkedBodyReader {
    /// The error of bytes that do not match the grammar.
    package struct FramingError: Error {}

    /// The maximum number of bytes of a line with a chunk size.
    package static let lineByteCount = 4096

    private enum State {
        case size
        case afterSize
        case sizeLineEnd
        case content
        case contentEnd
        case contentLineEnd
        case trailer
        case trailerLineEnd
        case end
    }

    private var state = State.size
    private var size: UInt64 = 0
    private var lineCount = 0
    private var hasBegun = false

    /// The number of bytes of trailer fields so far.
    package private(set) var trailerByteCount = 0

    /// A Boolean value that indicates whether the last chunk and the trailer have been read.
    package var isAtEnd: Bool { state == .end }

    /// A Boolean value that indicates whether a part of the body has been read, but not its end.
    package var isTruncated: Bool { hasBegun && !isAtEnd }

    /// Creates a parser at the start of a body.
    package init() {}

    /// Returns the range of the next bytes of content.
    ///
    /// - Parameters:
    ///   - bytes: The received bytes.
    ///   - position: The offset at which to start, which is moved past the bytes that were read.
    /// - Returns: The range in `bytes`, or `nil` if no content is left in them.
    /// - Throws: ``FramingError`` if the bytes do not match the grammar.
    package mutating func next(
        in bytes: borrowing Span<UInt8>, from position: inout Int
    ) throws(FramingError) -> Range<Int>? {
        while position < bytes.count, state != .end {
            if state == .content {
                let count = Int(min(size, UInt64(bytes.count - position)))
                let start = position
                position += count
                size -= UInt64(count)
                if size == 0 { state = .contentEnd }
                return start..<position
            }
            let byte = bytes[position]
            position += 1
            try read(byte)
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) throws(FramingError) {
        hasBegun = true
        lineCount += 1
        if state == .trailer || state == .trailerLineEnd { trailerByteCount += 1 }
        switch (state, byte) {
        case (.size, UInt8(ascii: "\r")) where lineCount > 1, (.afterSize, UInt8(ascii: "\r")):
            state = .sizeLineEnd
        case (.size, UInt8(ascii: ";")) where lineCount > 1,
            (.size, UInt8(ascii: " ")) where lineCount > 1,
            (.size, UInt8(ascii: "\t")) where lineCount > 1:
            state = .afterSize
        case (.size, _):
            guard let digit = byte.hexDigit, size >> 60 == 0, lineCount < Self.lineByteCount
            else { throw FramingError() }
            size = size << 4 | UInt64(digit)
        case (.afterSize, _):
            // Chunk extensions are ignored.
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t"),
                lineCount < Self.lineByteCount
            else { throw FramingError() }
        case (.sizeLineEnd, UInt8(ascii: "\n")):
            state = size == 0 ? .trailer : .content
            lineCount = 0
        case (.contentEnd, UInt8(ascii: "\r")):
            state = .contentLineEnd
        case (.contentLineEnd, UInt8(ascii: "\n")):
            state = .size
            lineCount = 0
        case (.trailer, UInt8(ascii: "\r")):
            state = .trailerLineEnd
        case (.trailer, let byte) where byte != UInt8(ascii: "\n"):
            break
        case (.trailerLineEnd, UInt8(ascii: "\n")):
            state = lineCount == 2 ? .end : .trailer
            lineCount = 0
        default:
            throw FramingError()
        }
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
