// SPDX-License-Identifier: Apache-2.0

/// A natural number of up to ``capacity`` words, with the operations that powers of ten and halfway
/// points need.
///
/// Invariant: `words` has space for ``capacity`` words, outlives the number and is not shared. The
/// first `count` words are initialized, and the last of them is not zero.
@safe
struct WideInteger {
    /// The maximum number of words.
    ///
    /// The largest numbers are 54 bits × 5¹¹¹¹, and numbers with 768 digits.
    static let capacity = 44

    /// The words, least significant first.
    private let words: UnsafeMutablePointer<UInt64>
    private var count = 0

    /// Calls a closure with two numbers of value 0, whose words are on the stack.
    @inline(__always)
    static func withTwo<Result>(
        _ body: (inout WideInteger, inout WideInteger) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * capacity) { buffer in
            // The buffer is not empty, so it has an address.
            guard let start = buffer.baseAddress else {
                preconditionFailure("the buffer has no address")
            }
            var first = unsafe WideInteger(words: start)
            var second = unsafe WideInteger(words: start + capacity)
            return body(&first, &second)
        }
    }

    private init(words: UnsafeMutablePointer<UInt64>) {
        unsafe self.words = words
    }

    /// Sets the value.
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

    /// Multiplies by a nonzero factor and adds a number.
    mutating func multiply(by factor: UInt128, adding addend: UInt128 = 0) {
        let low = UInt128(UInt64(truncatingIfNeeded: factor))
        let high = factor >> 64
        var carry = addend
        countNumberWork(count)
        for position in 0..<count {
            let word = UInt128(unsafe words[position])
            // Neither sum overflows: (2⁶⁴ - 1)² + 2 × (2⁶⁴ - 1) is below 2¹²⁸.
            let sum = word &* low &+ UInt128(UInt64(truncatingIfNeeded: carry))
            unsafe words[position] = UInt64(truncatingIfNeeded: sum)
            carry = word &* high &+ (carry >> 64) &+ (sum >> 64)
        }
        append(carry)
    }

    /// Multiplies by 5ⁿ.
    ///
    /// - Parameters:
    ///   - exponent: n, at most 1,154.
    ///   - powers: The words of ``DecimalPowers``.
    mutating func multiply(byFiveTo exponent: Int, _ powers: UnsafePointer<UInt64>) {
        var rest = exponent
        if count <= 2, rest >= DecimalPowers.exactStep {
            // Multiply the large power by the small number instead.
            let factor = UInt128(word(1)) << 64 | UInt128(word(0))
            let step = rest / DecimalPowers.exactStep
            unsafe copy(DecimalPowers.exactPower(step, powers), count: 2 &* step)
            multiply(by: factor)
            rest &-= step &* DecimalPowers.exactStep
        }
        while rest > 0 {
            let step = min(rest, DecimalPowers.exactStep)
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
        countNumberWork(count)
        unsafe words.update(from: source, count: count)
    }

    /// Multiplies by 2ⁿ.
    mutating func shiftLeft(by bits: Int) {
        guard count > 0 else { return }
        let (whole, part) = (bits >> 6, UInt64(truncatingIfNeeded: bits & 63))
        precondition(count &+ whole <= WideInteger.capacity)
        countNumberWork(count &+ whole)
        let top = unsafe words[count &- 1]
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let below = unsafe position > 0 ? words[position &- 1] : 0
            // A shift by 64 bits results in 0.
            unsafe words[position &+ whole] = words[position] &<< part | below >> (64 &- part)
        }
        for position in 0..<whole { unsafe words[position] = 0 }
        count &+= whole
        append(UInt128(top >> (64 &- part)))
    }

    /// Divides by a number and rounds down.
    mutating func divide(by divisor: UInt64) {
        var remainder: UInt64 = 0
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let (quotient, rest) = unsafe divisor.dividingFullWidth((remainder, words[position]))
            unsafe words[position] = quotient
            remainder = rest
        }
        if count > 0, unsafe words[count &- 1] == 0 { count &-= 1 }
    }

    // MARK: - Inspecting

    /// The 128 most significant bits, normalized so that the first is 1; lower bits are truncated.
    var leadingWords: (high: UInt64, low: UInt64) {
        let (top, next, last) = (word(count &- 1), word(count &- 2), word(count &- 3))
        let shift = UInt64(truncatingIfNeeded: top.leadingZeroBitCount)
        // A shift by 64 bits results in 0.
        return (
            top << shift | next >> (64 &- shift), next << shift | last >> (64 &- shift)
        )
    }

    private func word(_ position: Int) -> UInt64 {
        unsafe position >= 0 && position < count ? words[position] : 0
    }

    /// Copies the words to memory with sufficient space.
    func copy(to destination: UnsafeMutablePointer<UInt64>) {
        unsafe destination.update(from: words, count: count)
    }

    /// Compares two numbers: returns a negative number, 0 or a positive number.
    func compared(to other: WideInteger) -> Int {
        if count != other.count { return count &- other.count }
        for position in stride(from: count &- 1, through: 0, by: -1) {
            let (left, right) = unsafe (words[position], other.words[position])
            if left != right { return left < right ? -1 : 1 }
        }
        return 0
    }
}
