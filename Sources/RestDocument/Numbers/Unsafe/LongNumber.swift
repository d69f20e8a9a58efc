// SPDX-License-Identifier: Apache-2.0

/// A number with 20 or more digits.
///
/// Invariant: between `digits` and `mantissaEnd` there are only digits, and at most one decimal
/// point between two of them. Enough bytes follow for a load of 8 bytes.
@safe
struct LongNumber {
    /// A number halfway between two doubles has at most 767 digits between its first and last
    /// nonzero ones.
    ///
    /// Digits after this limit matter only if one of them is nonzero.
    private static let digitLimit = 768

    /// The first nonzero digit, or the end.
    private let first: UnsafePointer<UInt8>
    private let mantissaEnd: UnsafePointer<UInt8>
    /// The number of digits from the first nonzero one on.
    private let digitCount: Int
    /// The power of ten of the last digit.
    private let exponent: Int
    private let powers: UnsafePointer<UInt64>

    /// Creates a number and skips its leading zeros.
    ///
    /// - Parameters:
    ///   - digits: The first digit.
    ///   - count: The number of digits.
    ///   - mantissaEnd: The end of the digits.
    ///   - exponent: The power of ten of the last digit.
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
        countNumberWork(zeros)
        unsafe first = p
        unsafe self.mantissaEnd = mantissaEnd
        digitCount = count &- zeros
        self.exponent = exponent
        unsafe self.powers = powers
    }

    /// Returns the bits of the nearest double, ties to even; the bits of infinity beyond the
    /// largest double.
    ///
    /// - Complexity: O(*n*) in the number of digits, without allocations.
    /// - Source: Lemire, "Number parsing at a gigabyte per second", 2021, section 11, for the first
    ///   19 digits; Clinger, "How to read floating point numbers accurately", 1990, for the rest.
    @inline(never)
    func nearestDouble() -> UInt64 {
        var position = unsafe first
        let (leading, taken) = unsafe nextDigits(&position, atMost: 19)
        let shift = exponent &+ (digitCount &- taken)
        let below = unsafe RestDocument.nearestDouble(leading, shift, powers)
        if digitCount == taken { return below }
        let above = unsafe RestDocument.nearestDouble(leading &+ 1, shift, powers)
        if below == above { return below }
        // The number lies between two adjacent doubles, and all of its digits decide on which side
        // of halfway.
        let side = unsafe sideOfHalfway(above: below, leading, position)
        return side < 0 || (side == 0 && below & 1 == 0) ? below : above
    }

    /// Compares the number with the point halfway between a double and the next larger one.
    ///
    /// - Parameters:
    ///   - bits: The bits of the double.
    ///   - leading: The value of the first 19 digits.
    ///   - position: The position after these digits.
    /// - Returns: A negative number if the number is less than the halfway point, 0 if they are
    ///   equal, otherwise a positive number.
    private func sideOfHalfway(
        above bits: UInt64, _ leading: UInt64, _ position: UnsafePointer<UInt8>
    ) -> Int {
        // The halfway point is `odd` × 2^binary, and the number is its digits × 10^decimal.
        let (fraction, biased) = (bits & (1 << 52 &- 1), Int(truncatingIfNeeded: bits >> 52))
        let odd = (biased == 0 ? fraction : fraction | 1 << 52) &<< 1 | 1
        let binary = max(biased, 1) &- 1_076
        let takenCount = min(digitCount, LongNumber.digitLimit)
        let decimal = exponent &+ (digitCount &- takenCount)
        return WideInteger.withTwo { number, halfway in
            number.set(UInt128(leading))
            let rest = unsafe append(takenCount &- 19, from: position, to: &number)
            halfway.set(UInt128(odd))
            // Powers of five remain after the twos are separated; each is multiplied to the side
            // where it is an integer.
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

    /// Appends digits to a number.
    ///
    /// - Returns: The position after the digits.
    private func append(
        _ count: Int, from start: UnsafePointer<UInt8>, to number: inout WideInteger
    ) -> UnsafePointer<UInt8> {
        var position = unsafe start
        var left = count
        while left > 0 {
            var (value, factor) = (UInt128(0), UInt128(1))
            for _ in 0..<2 {
                let (part, taken) = unsafe nextDigits(&position, atMost: min(left, 19))
                let power = unsafe UInt128(LongNumber.powerOfTen(taken, powers))
                value = value &* power &+ UInt128(part)
                factor = factor &* power
                left &-= taken
            }
            number.multiply(by: factor, adding: value)
        }
        return unsafe position
    }

    /// Returns the value of the next digits, up to a limit.
    @inline(__always)
    private func nextDigits(
        _ position: inout UnsafePointer<UInt8>, atMost limit: Int
    ) -> (value: UInt64, count: Int) {
        var value: UInt64 = 0
        var count = 0
        while count < limit, unsafe position < mantissaEnd {
            if limit &- count >= 8 {
                let word = unsafe eightBytes(position)
                if isEightDigits(word), unsafe mantissaEnd - position >= 8 {
                    value = value &* 100_000_000 &+ eightDigits(word)
                    count &+= 8
                    unsafe position += 8
                    continue
                }
            }
            let digit = unsafe position.pointee &- 0x30
            unsafe position += 1
            // Skip the decimal point.
            if digit < 10 {
                value = value &* 10 &+ UInt64(digit)
                count &+= 1
            }
        }
        countNumberWork(count)
        return (value, count)
    }

    /// Returns a Boolean value that indicates whether a nonzero digit follows.
    private func hasMore(from position: UnsafePointer<UInt8>) -> Bool {
        var p = unsafe position
        defer { countNumberWork(unsafe p - position) }
        while unsafe p < mantissaEnd {
            let byte = unsafe p.pointee
            if byte != UInt8(ascii: "0"), byte != UInt8(ascii: ".") { return true }
            unsafe p += 1
        }
        return false
    }

    /// Returns 10ⁿ for n up to 19.
    private static func powerOfTen(_ exponent: Int, _ powers: UnsafePointer<UInt64>) -> UInt64 {
        let power = unsafe powers[(exponent &- DecimalPowers.smallest) &* 2]
        // 5ⁿ has 1 + ⌊n × log₂ 5⌋ bits, and 10ⁿ has n more.
        return power >> UInt64(truncatingIfNeeded: 63 &- exponent &- (exponent &* 2_378) >> 10)
    }
}
