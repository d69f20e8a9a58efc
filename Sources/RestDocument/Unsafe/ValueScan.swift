// SPDX-License-Identifier: Apache-2.0

/// Finds the end of a value that arrives in pieces, without looking at any byte twice.
///
/// Only strings and brackets count, so what it finds is the end if the value is well-formed; whether
/// it is, the parser says afterwards.
struct ValueScan {
    /// Whether the value has ended.
    private(set) var isComplete = false

    /// The first byte not looked at, counted from the value's beginning.
    private var place = 0
    private var depth = 0
    private var isInString = false
    /// Whether it is a number or a literal, which anything else ends.
    private let isBare: Bool

    /// Begins at a value.
    ///
    /// - Parameter first: Its first byte.
    init(first: UInt8) {
        isBare =
            first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && first != UInt8(ascii: "\"")
    }

    /// Goes on where it stopped.
    ///
    /// - Parameters:
    ///   - start: The value's beginning, its bytes so far and zeros for a wide load.
    ///   - count: How many bytes there are by now, which is never less than before.
    mutating func resume(_ start: UnsafePointer<UInt8>, count: Int) {
        if isBare {
            while place < count, unsafe Self.isBareByte(start[place]) { place += 1 }
            isComplete = place < count
            return
        }
        while place < count, !isComplete {
            if isInString {
                unsafe scanText(start, count: count)
            } else {
                unsafe scanBrackets(start, count: count)
            }
            // Only a backslash without its successor is looked at again.
            if isInString, place + 1 == count, unsafe start[place] == UInt8(ascii: "\\") { return }
        }
    }

    /// Passes what is inside a string, up to its end.
    private mutating func scanText(_ start: UnsafePointer<UInt8>, count: Int) {
        while place < count {
            place = unsafe min(endOfPlainText(start + place) - start, count)
            guard place < count else { return }
            switch unsafe start[place] {
            case UInt8(ascii: "\""):
                place += 1
                isInString = false
                isComplete = depth == 0
                return
            case UInt8(ascii: "\\"):
                guard place + 1 < count else { return }
                place += 2
            default:
                place += 1
            }
        }
    }

    /// Passes what is outside of strings, up to the next one.
    private mutating func scanBrackets(_ start: UnsafePointer<UInt8>, count: Int) {
        while place < count {
            place = unsafe min(Self.nextMark(start + place, before: start + count) - start, count)
            guard place < count else { return }
            let byte = unsafe start[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                return
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 {
                    isComplete = true
                    return
                }
            default:
                break
            }
        }
    }

    /// The next quote or bracket, or at worst another byte that cannot stand outside of strings.
    @inline(__always)
    private static func nextMark(
        _ start: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        var p = unsafe start
        while unsafe p < end {
            let x = unsafe UnsafeRawPointer(p).loadUnaligned(as: SIMD16<UInt8>.self)
            // The four brackets differ in the bits of 0x26 only; see `specialBytes` for the rest.
            let bracket = ((x | 0x26) ^ 0x7F) &- 1
            let quote = (x ^ 0x22) &- 1
            let marks = (bracket | quote) & (~x & 0x80)
            // Invariant: both types are 16 bytes without padding.
            let words = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
            if words[0] != 0 { return unsafe p + words[0].trailingZeroBitCount >> 3 }
            if words[1] != 0 { return unsafe p + (8 &+ words[1].trailingZeroBitCount >> 3) }
            unsafe p += 16
        }
        return unsafe end
    }

    private static func isBareByte(_ byte: UInt8) -> Bool {
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
