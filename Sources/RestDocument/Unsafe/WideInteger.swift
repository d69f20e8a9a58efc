// SPDX-License-Identifier: Apache-2.0

/// A natural number of up to ``capacity`` words: what powers of ten and halves between two doubles
/// need, and no more.
///
/// Invariant: `words` is room for ``capacity`` words that outlives the number and belongs to it
/// alone; the first `count` are initialized, the last of them is not zero.
@safe
struct WideInteger {
    /// How many words there is room for.
    ///
    /// The largest number is one of 54 bits × 5¹¹¹¹, or has 768 digits.
    static let capacity = 44

    /// The least significant word first.
    private let words: UnsafeMutablePointer<UInt64>
    private var count = 0

    /// Calls a closure with two numbers that are 0, whose room is on the stack.
    @inline(__always)
    static func withTwo<Result>(
        _ body: (inout WideInteger, inout WideInteger) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * capacity) { room in
            // The room is never empty, so it has an address.
            guard let start = room.baseAddress else { preconditionFailure("no room") }
            var first = unsafe WideInteger(words: start)
            var second = unsafe WideInteger(words: start + capacity)
            return body(&first, &second)
        }
    }

    private init(words: UnsafeMutablePointer<UInt64>) {
        unsafe self.words = words
    }

    /// Makes the number one of 128 bits.
    mutating func set(_ value: UInt128) {
        count = 0
        append(value)
    }

    private mutating func append(_ top: UInt128) {
        guard top != 0 else { return }
        let (high, low) = (UInt64(truncatingIfNeeded: top >> 64), UInt64(truncatingIfNeeded: top))
        precondition(count &+ 2 <= WideInteger.capacity)
        unsafe words[count] = low
        unsafe words[count &+ 1] = high
        count &+= high == 0 ? 1 : 2
    }

    // MARK: - Arithmetic

    /// Makes the number itself × `factor` + `addend`; the factor is not 0.
    mutating func multiply(by factor: UInt128, adding addend: UInt128 = 0) {
        let low = UInt128(UInt64(truncatingIfNeeded: factor))
        let high = factor >> 64
        var carry = addend
        for position in 0..<count {
            let word = UInt128(unsafe words[position])
            // Neither sum overflows: (2⁶⁴ - 1)² + 2 × (2⁶⁴ - 1) is below 2¹²⁸.
            let sum = word &* low &+ UInt128(UInt64(truncatingIfNeeded: carry))
            unsafe words[position] = UInt64(truncatingIfNeeded: sum)
            carry = word &* high &+ (carry >> 64) &+ (sum >> 64)
        }
        append(carry)
    }

    /// Makes the number itself × 5ⁿ.
    ///
    /// - Parameters:
    ///   - exponent: n, at most 1,154.
    ///   - powers: The words of ``DecimalPowers``.
    mutating func multiply(byFiveTo exponent: Int, _ powers: UnsafePointer<UInt64>) {
        var rest = exponent
        if count <= 2, rest >= DecimalPowers.wholeStep {
            // A small number is multiplied to the power instead.
            let factor = UInt128(word(1)) << 64 | UInt128(word(0))
            let step = rest / DecimalPowers.wholeStep
            unsafe copy(DecimalPowers.wholePower(step, powers), count: 2 &* step)
            multiply(by: factor)
            rest &-= step &* DecimalPowers.wholeStep
        }
        while rest > 0 {
            let step = min(rest, DecimalPowers.wholeStep)
            let slot = (step &- DecimalPowers.smallest) &* 2
            let power = unsafe UInt128(powers[slot]) << 64 | UInt128(powers[slot &+ 1])
            // 5ⁿ has 1 + ⌊n × log₂ 5⌋ bits.
            multiply(by: power >> UInt128(127 &- (step &* 2_378) >> 10))
            rest &-= step
        }
    }

    private mutating func copy(_ source: UnsafePointer<UInt64>, count: Int) {
        precondition(count <= WideInteger.capacity)
        self.count = count
        unsafe words.update(from: source, count: count)
    }

    /// Makes the number itself × 2ⁿ.
    mutating func shiftLeft(by bits: Int) {
        guard count > 0 else { return }
        let (whole, part) = (bits >> 6, UInt64(truncatingIfNeeded: bits & 63))
        precondition(count &+ whole <= WideInteger.capacity)
        let top = unsafe words[count &- 1]
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let below = unsafe position > 0 ? words[position &- 1] : 0
            // A shift by 64 bits gives 0.
            unsafe words[position &+ whole] = words[position] &<< part | below >> (64 &- part)
        }
        for position in 0..<whole { unsafe words[position] = 0 }
        count &+= whole
        append(UInt128(top >> (64 &- part)))
    }

    /// Makes the number itself ÷ `divisor`, rounded down.
    mutating func divide(by divisor: UInt64) {
        var remainder: UInt64 = 0
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let (quotient, rest) = unsafe divisor.dividingFullWidth((remainder, words[position]))
            unsafe words[position] = quotient
            remainder = rest
        }
        if count > 0, unsafe words[count &- 1] == 0 { count &-= 1 }
    }

    // MARK: - Asking

    /// The 128 most significant bits, the first of which is 1; the rest is cut off.
    var leadingWords: (high: UInt64, low: UInt64) {
        let (top, next, last) = (word(count &- 1), word(count &- 2), word(count &- 3))
        let shift = UInt64(truncatingIfNeeded: top.leadingZeroBitCount)
        // A shift by 64 bits gives 0.
        return (
            top << shift | next >> (64 &- shift), next << shift | last >> (64 &- shift)
        )
    }

    private func word(_ position: Int) -> UInt64 {
        unsafe position >= 0 && position < count ? words[position] : 0
    }

    /// Copies the words to a place that has room for them.
    func copy(to place: UnsafeMutablePointer<UInt64>) {
        unsafe place.update(from: words, count: count)
    }

    /// Whether the number is less than another, equal to it or greater: below 0, 0 or above.
    func compared(to other: WideInteger) -> Int {
        if count != other.count { return count &- other.count }
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let (left, right) = unsafe (words[position], other.words[position])
            if left != right { return left < right ? -1 : 1 }
        }
        return 0
    }
}
