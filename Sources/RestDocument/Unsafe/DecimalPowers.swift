// SPDX-License-Identifier: Apache-2.0

/// Powers of ten from 10⁻³⁴² to 10³⁰⁸, each as the first 128 bits of its binary form.
///
/// Powers below one are rounded up in the way the Eisel-Lemire algorithm expects, powers above are
/// cut off. They are computed with exact integers when first needed, which takes about 0.1 ms.
///
/// Source: Lemire, "Number parsing at a gigabyte per second", 2021, section 5.
/// `@unchecked Sendable` invariant: the table is filled by `init`, only read afterwards, and never
/// given back.
@safe
struct DecimalPowers: @unchecked Sendable {
    /// The smallest power of ten in the table.
    static let smallest = -342
    /// The largest power of ten in the table.
    static let largest = 308

    /// The table, made once.
    static let shared = DecimalPowers()

    /// Two words for each power, the more significant one first.
    let words: UnsafePointer<UInt64>

    private init() {
        let count = DecimalPowers.largest - DecimalPowers.smallest + 1
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count * 2)
        func store(_ value: WideInteger, at power: Int) {
            let slot = (power - DecimalPowers.smallest) * 2
            (unsafe words[slot], unsafe words[slot + 1]) = value.leadingWords
        }
        // 10ⁿ and 5ⁿ have the same leading bits.
        var power = WideInteger(powerOfTwo: 0)
        var widths: [Int] = []
        for exponent in 0...(-DecimalPowers.smallest) {
            widths.append(power.bitWidth)
            if exponent <= DecimalPowers.largest { store(power, at: exponent) }
            power.multiply(by: 5)
        }
        // ⌊2ᵇ / 5ⁿ⌋ for every n by dividing again and again: the floors compose.
        let scale = 2 * widths[widths.count - 1] + 128
        var quotient = WideInteger(powerOfTwo: scale)
        for exponent in 1...(-DecimalPowers.smallest) {
            quotient.divide(by: 5)
            // For 5ⁿ > 1 the smallest z with 2ᶻ ≥ 5ⁿ is its bit width.
            let width = widths[exponent]
            let bits = exponent <= 27 ? width + 127 : 2 * width + 128
            var reciprocal = quotient.shiftedRight(by: scale - bits)
            reciprocal.increment()
            store(reciprocal, at: -exponent)
        }
        unsafe self.words = UnsafePointer(words)
    }
}

/// A natural number of any size; only what the table needs.
private struct WideInteger {
    /// The least significant word first.
    private var words: [UInt64]

    init(powerOfTwo exponent: Int) {
        words = Array(repeating: 0, count: exponent / 64 + 1)
        words[exponent / 64] = 1 << UInt64(exponent % 64)
    }

    var bitWidth: Int {
        guard let top = words.lastIndex(where: { $0 != 0 }) else { return 0 }
        return top * 64 + 64 - words[top].leadingZeroBitCount
    }

    /// The 128 most significant bits, the rest cut off.
    var leadingWords: (high: UInt64, low: UInt64) {
        let width = bitWidth
        if width <= 128 {
            let value = UInt128(words[0]) | (words.count > 1 ? UInt128(words[1]) << 64 : 0)
            let shifted = value << UInt128(128 - width)
            return (UInt64(truncatingIfNeeded: shifted >> 64), UInt64(truncatingIfNeeded: shifted))
        }
        let shifted = shiftedRight(by: width - 128)
        return (shifted.words[1], shifted.words[0])
    }

    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for position in words.indices {
            let (high, low) = words[position].multipliedFullWidth(by: factor)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            words[position] = sum
            carry = high + (overflow ? 1 : 0)
        }
        if carry != 0 { words.append(carry) }
    }

    mutating func divide(by divisor: UInt64) {
        var remainder: UInt64 = 0
        for position in words.indices.reversed() {
            let (quotient, rest) = divisor.dividingFullWidth((remainder, words[position]))
            words[position] = quotient
            remainder = rest
        }
    }

    mutating func increment() {
        for position in words.indices {
            words[position] &+= 1
            if words[position] != 0 { return }
        }
        words.append(1)
    }

    func shiftedRight(by bits: Int) -> WideInteger {
        var result = self
        result.words = []
        for position in (bits / 64)..<words.count {
            let above = position + 1 < words.count ? words[position + 1] : 0
            let word =
                bits % 64 == 0
                ? words[position]
                : words[position] >> UInt64(bits % 64) | above << UInt64(64 - bits % 64)
            result.words.append(word)
        }
        return result
    }
}
