// SPDX-License-Identifier: Apache-2.0

/// Finds the end of a text, number or literal that arrives in pieces, without looking at any byte
/// twice; of white space, the beginning of what follows it.
///
/// What it finds is the end if the token is well-formed; whether it is, the parser says afterwards.
///
/// Invariant: `place` is at most the count of every later call; zeros follow the bytes there, wide
/// enough for a load of 16. No pointer is kept between two calls.
struct TokenScan {
    private enum Kind {
        case text
        case bare
        case space
    }

    /// Whether the token has ended.
    private(set) var isComplete = false

    private let kind: Kind
    /// Where it begins, counted from the beginning of the value it is part of.
    private let start: Int
    /// The first byte not looked at.
    private var place: Int

    /// Begins at a token.
    ///
    /// - Parameters:
    ///   - start: Where it begins.
    ///   - first: Its first byte, 0 if none has arrived.
    init(at start: Int, first: UInt8) {
        self.start = start
        place = start
        switch first {
        case UInt8(ascii: "\""):
            kind = .text
            place += 1
        case _ where Self.isBare(first): kind = .bare
        default: kind = .space
        }
    }

    /// Whether this is a scan of the same token as another is.
    func isSame(as other: TokenScan) -> Bool { start == other.start && kind == other.kind }

    /// Goes on where it stopped.
    ///
    /// - Parameters:
    ///   - value: The beginning of the value, its bytes so far and zeros for a wide load.
    ///   - count: How many bytes there are by now, which is never less than before.
    mutating func resume(_ value: UnsafePointer<UInt8>, count: Int) {
        switch kind {
        case .bare:
            while place < count, unsafe Self.isBare(value[place]) { place += 1 }
        case .space:
            place = unsafe min(skippingSpace(value + place) - value, count)
        case .text:
            unsafe passText(value, count: count)
            return
        }
        isComplete = place < count
    }

    private mutating func passText(_ value: UnsafePointer<UInt8>, count: Int) {
        while !isComplete {
            place = unsafe min(endOfPlainText(value + place) - value, count)
            guard place < count else { return }
            switch unsafe value[place] {
            case UInt8(ascii: "\""):
                isComplete = true
            case UInt8(ascii: "\\"):
                // Looked at again with its successor.
                guard place + 1 < count else { return }
                place += 2
            default:
                place += 1
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
