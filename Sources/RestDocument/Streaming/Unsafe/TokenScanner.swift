// SPDX-License-Identifier: Apache-2.0

/// A scanner for the end of a string, number or literal that arrives in chunks, which examines each
/// byte once.
///
/// For white space it finds the beginning of the next token.
///
/// The end is correct if the token is well-formed, which the parser verifies afterwards.
///
/// Invariant: `position` is at most the count of every later call. Enough zeros follow the bytes
/// for a load of 16 bytes. No pointer is kept between two calls.
struct TokenScanner {
    private enum Kind {
        case text
        case bare
        case space
    }

    /// A Boolean value that indicates whether the end of the token was found.
    private(set) var isComplete = false

    private let kind: Kind
    /// The offset of the token from the beginning of its value.
    private let start: Int
    /// The offset of the first byte that was not examined.
    private var position: Int

    /// Creates a scanner at a token.
    ///
    /// - Parameters:
    ///   - start: The offset of the token.
    ///   - first: The first byte; 0 if none has arrived.
    init(at start: Int, first: UInt8) {
        self.start = start
        position = start
        switch first {
        case UInt8(ascii: "\""):
            kind = .text
            position += 1
        case _ where Self.isBare(first): kind = .bare
        default: kind = .space
        }
    }

    /// Returns a Boolean value that indicates whether two scanners have the same token.
    func isSame(as other: TokenScanner) -> Bool { start == other.start && kind == other.kind }

    /// Resumes scanning.
    ///
    /// - Parameters:
    ///   - value: The beginning of the value; zeros for a wide load follow its bytes.
    ///   - count: The number of bytes so far, which never decreases.
    mutating func resume(_ value: UnsafePointer<UInt8>, count: Int) {
        switch kind {
        case .bare:
            while position < count, unsafe Self.isBare(value[position]) { position += 1 }
        case .space:
            position = unsafe min(skippingSpace(value + position) - value, count)
        case .text:
            unsafe scanText(value, count: count)
            return
        }
        isComplete = position < count
    }

    private mutating func scanText(_ value: UnsafePointer<UInt8>, count: Int) {
        while !isComplete {
            position = unsafe min(endOfPlainText(value + position) - value, count)
            guard position < count else { return }
            switch unsafe value[position] {
            case UInt8(ascii: "\""):
                isComplete = true
            case UInt8(ascii: "\\"):
                // Examine it again together with the next byte.
                guard position + 1 < count else { return }
                position += 2
            default:
                position += 1
            }
        }
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}
