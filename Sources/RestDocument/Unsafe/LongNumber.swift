// SPDX-License-Identifier: Apache-2.0

/// The digits of a number that has 20 or more, and where its decimal point stands.
///
/// Invariant: from `digits` to `mantissaEnd` there are only digits and at most one dot between two
/// of them; more bytes follow, wide enough for a load of 8.
@safe
struct LongNumber {
    /// A number halfway between two doubles has at most 767 digits from the first to the last that
    /// is not 0, so those after this many only say whether there is more.
    private static let digitLimit = 768

    /// The first digit that is not 0, or the end.
    private let first: UnsafePointer<UInt8>
    private let mantissaEnd: UnsafePointer<UInt8>
    /// How many digits there are from the first that is not 0 on.
    private let digitCount: Int
    /// The power of ten that the last digit counts.
    private let exponent: Int
    private let powers: UnsafePointer<UInt64>

    /// Finds the first digit that is not 0.
    ///
    /// - Parameters:
    ///   - digits: The first digit.
    ///   - count: How many there are.
    ///   - mantissaEnd: The place after the last.
    ///   - exponent: The power of ten that the last digit counts.
    ///   - powers: The words of ``DecimalPowers``.
    init(
        _ digits: UnsafePointer<UInt8>, count: Int, mantissaEnd: UnsafePointer<UInt8>,
        exponent: Int, powers: UnsafePointer<UInt64>
    ) {
        var p = unsafe digits
        var zeros = 0
        while unsafe p < mantissaEnd {
            let byte = unsafe p.pointee
            if byte == UInt8(ascii: "0") {
                zeros &+= 1
            } else if byte != UInt8(ascii: ".") {
                break
            }
            unsafe p += 1
        }
        unsafe first = p
        unsafe self.mantissaEnd = mantissaEnd
        digitCount = count &- zeros
        self.exponent = exponent
        unsafe self.powers = powers
    }

    /// The bits of the nearest double, ties to even; those of infinity beyond the largest.
    ///
    /// - Complexity: O(*n*) in the number of digits; nothing is allocated.
    /// - Source: Lemire, "Number parsing at a gigabyte per second", 2021, section 11, for the first
    ///   19 digits; Clinger, "How to read floating point numbers accurately", 1990, for the rest.
    @inline(never)
    func nearestDouble() -> UInt64 {
        var place = unsafe first
        let (leading, taken) = unsafe nextDigits(&place, atMost: 19)
        let shift = exponent &+ (digitCount &- taken)
        let below = unsafe RestDocument.nearestDouble(leading, shift, powers)
        if digitCount == taken { return below }
        let above = unsafe RestDocument.nearestDouble(leading &+ 1, shift, powers)
        if below == above { return below }
        // The number is between two doubles next to each other, and all digits say on which side.
        let side = unsafe sideOfHalfway(above: below, leading, place)
        return side < 0 || (side == 0 && below & 1 == 0) ? below : above
    }

    /// Where the number is, seen from halfway between a double and the next: below 0 when it is
    /// less, 0 when it is just that, above when it is greater.
    ///
    /// - Parameters:
    ///   - bits: The double.
    ///   - leading: The first 19 digits.
    ///   - place: What follows them.
    /// - Returns: The side.
    private func sideOfHalfway(
        above bits: UInt64, _ leading: UInt64, _ place: UnsafePointer<UInt8>
    ) -> Int {
        // The halfway point is `odd` × 2^binary, the number is its digits × 10^decimal.
        let (fraction, biased) = (bits & (1 << 52 &- 1), Int(truncatingIfNeeded: bits >> 52))
        let odd = (biased == 0 ? fraction : fraction | 1 << 52) &<< 1 | 1
        let binary = max(biased, 1) &- 1_076
        let takenCount = min(digitCount, LongNumber.digitLimit)
        let decimal = exponent &+ (digitCount &- takenCount)
        return WideInteger.withTwo { number, halfway in
            number.set(UInt128(leading))
            let rest = unsafe append(takenCount &- 19, from: place, to: &number)
            halfway.set(UInt128(odd))
            // What is left of 10 after taking out 2 is made whole on either side.
            if decimal >= 0 {
                unsafe number.multiply(byFiveTo: decimal, powers)
            } else {
                unsafe halfway.multiply(byFiveTo: 0 &- decimal, powers)
            }
            if binary > decimal {
                halfway.shiftLeft(by: binary &- decimal)
            } else {
                number.shiftLeft(by: decimal &- binary)
            }
            let side = number.compared(to: halfway)
            return unsafe side == 0 && hasMore(from: rest) ? 1 : side
        }
    }

    /// Appends digits to those of a number.
    ///
    /// - Returns: The place after them.
    private func append(
        _ count: Int, from start: UnsafePointer<UInt8>, to number: inout WideInteger
    ) -> UnsafePointer<UInt8> {
        var place = unsafe start
        var left = count
        while left > 0 {
            var (value, factor) = (UInt128(0), UInt128(1))
            for _ in 0..<2 {
                let (part, taken) = unsafe nextDigits(&place, atMost: min(left, 19))
                let power = unsafe UInt128(LongNumber.powerOfTen(taken, powers))
                value = value &* power &+ UInt128(part)
                factor = factor &* power
                left &-= taken
            }
            number.multiply(by: factor, adding: value)
        }
        return unsafe place
    }

    /// The value of the next digits: as many as are asked for, or all there are.
    @inline(__always)
    private func nextDigits(
        _ place: inout UnsafePointer<UInt8>, atMost limit: Int
    ) -> (value: UInt64, count: Int) {
        var value: UInt64 = 0
        var count = 0
        while count < limit, unsafe place < mantissaEnd {
            if limit &- count >= 8 {
                let word = unsafe eightBytes(place)
                if isEightDigits(word), unsafe mantissaEnd - place >= 8 {
                    value = value &* 100_000_000 &+ eightDigits(word)
                    count &+= 8
                    unsafe place += 8
                    continue
                }
            }
            let digit = unsafe place.pointee &- 0x30
            unsafe place += 1
            // A dot is passed.
            if digit < 10 {
                value = value &* 10 &+ UInt64(digit)
                count &+= 1
            }
        }
        return (value, count)
    }

    /// Whether a digit that is not 0 is among those from a place on.
    private func hasMore(from place: UnsafePointer<UInt8>) -> Bool {
        var p = unsafe place
        while unsafe p < mantissaEnd {
            let byte = unsafe p.pointee
            if byte != UInt8(ascii: "0"), byte != UInt8(ascii: ".") { return true }
            unsafe p += 1
        }
        return false
    }

    /// 10ⁿ for n up to 19.
    private static func powerOfTen(_ exponent: Int, _ powers: UnsafePointer<UInt64>) -> UInt64 {
        let power = unsafe powers[(exponent &- DecimalPowers.smallest) &* 2]
        // 5ⁿ has 1 + ⌊n × log₂ 5⌋ bits, 10ⁿ another n.
        return power >> UInt64(truncatingIfNeeded: 63 &- exponent &- (exponent &* 2_378) >> 10)
    }
}
