// SPDX-License-Identifier: Apache-2.0

/// Takes the framing in chunks off a body, byte for byte as the grammar has it.
///
/// libcurl finds the end of such a body as well, but lets a line end without CR pass, by which it
/// takes a chunk that is shorter than its size for a whole one.
///
/// - Source: RFC 9112 §7.1.
package struct ChunkedBodyReader {
    /// The bytes are not chunks.
    package struct Fault: Error {}

    /// The most bytes of a line with a chunk's size.
    package static let lineByteCount = 4096

    private enum Place {
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

    private var place = Place.size
    private var size: UInt64 = 0
    private var lineCount = 0
    private var hasBegun = false

    /// The bytes of fields after the body so far.
    package private(set) var trailerByteCount = 0

    /// Whether the last chunk and what follows it have come.
    package var isAtEnd: Bool { place == .end }

    /// Whether bytes have come, but not all.
    package var isCut: Bool { hasBegun && !isAtEnd }

    package init() {}

    /// Reads on.
    ///
    /// - Parameters:
    ///   - bytes: What has come.
    ///   - position: Where to begin; moved past what was read.
    /// - Returns: The place of the next bytes of the body, or `nil` when nothing is left.
    /// - Throws: ``Fault``.
    package mutating func next(
        in bytes: borrowing Span<UInt8>, from position: inout Int
    ) throws(Fault) -> Range<Int>? {
        while position < bytes.count, place != .end {
            if place == .content {
                let count = Int(min(size, UInt64(bytes.count - position)))
                let start = position
                position += count
                size -= UInt64(count)
                if size == 0 { place = .contentEnd }
                return start..<position
            }
            let byte = bytes[position]
            position += 1
            try read(byte)
        }
        return nil
    }

    private mutating func read(_ byte: UInt8) throws(Fault) {
        hasBegun = true
        lineCount += 1
        if place == .trailer || place == .trailerLineEnd { trailerByteCount += 1 }
        switch (place, byte) {
        case (.size, UInt8(ascii: "\r")) where lineCount > 1, (.afterSize, UInt8(ascii: "\r")):
            place = .sizeLineEnd
        case (.size, UInt8(ascii: ";")) where lineCount > 1,
            (.size, UInt8(ascii: " ")) where lineCount > 1,
            (.size, UInt8(ascii: "\t")) where lineCount > 1:
            place = .afterSize
        case (.size, _):
            guard let digit = byte.hexDigit, size >> 60 == 0, lineCount < Self.lineByteCount
            else { throw Fault() }
            size = size << 4 | UInt64(digit)
        case (.afterSize, _):
            // An extension, of which none is known.
            guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t"),
                lineCount < Self.lineByteCount
            else { throw Fault() }
        case (.sizeLineEnd, UInt8(ascii: "\n")):
            place = size == 0 ? .trailer : .content
            lineCount = 0
        case (.contentEnd, UInt8(ascii: "\r")):
            place = .contentLineEnd
        case (.contentLineEnd, UInt8(ascii: "\n")):
            place = .size
            lineCount = 0
        case (.trailer, UInt8(ascii: "\r")):
            place = .trailerLineEnd
        case (.trailer, let byte) where byte != UInt8(ascii: "\n"):
            break
        case (.trailerLineEnd, UInt8(ascii: "\n")):
            place = lineCount == 2 ? .end : .trailer
            lineCount = 0
        default:
            throw Fault()
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
