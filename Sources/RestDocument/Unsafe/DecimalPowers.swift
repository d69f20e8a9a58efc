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

    /// 5⁵⁵ is the largest power of five within 128 bits, and 5⁵⁵ⁿ has 2n words.
    static let wholeStep = 55
    /// The largest n for which 5⁵⁵ⁿ is in the table.
    private static let wholeLargest = 20

    /// The table, made once.
    static let shared = DecimalPowers()

    /// Two words for each power, the more significant one first; behind them the powers of five
    /// that are there as a whole.
    let words: UnsafePointer<UInt64>

    /// The words of 5⁵⁵ⁿ, the least significant first.
    static func wholePower(
        _ n: Int, _ words: UnsafePointer<UInt64>
    ) -> UnsafePointer<UInt64> {
        assert(n > 0 && n <= wholeLargest)
        return unsafe words + (largest - smallest + 1) * 2 + n * (n - 1)
    }

    private init() {
        let count = DecimalPowers.largest - DecimalPowers.smallest + 1
        let wholeCount = DecimalPowers.wholeLargest * (DecimalPowers.wholeLargest + 1)
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count * 2 + wholeCount)
        func store(_ leading: (high: UInt64, low: UInt64), at power: Int) {
            let slot = (power - DecimalPowers.smallest) * 2
            (unsafe words[slot], unsafe words[slot + 1]) = leading
        }
        WideInteger.withTwo { power, reciprocal in
            // 10ⁿ and 5ⁿ have the same leading bits.
            power.set(1)
            let last = DecimalPowers.wholeStep * DecimalPowers.wholeLargest
            for exponent in 0...last {
                if exponent <= DecimalPowers.largest { store(power.leadingWords, at: exponent) }
                if exponent > 0, exponent % DecimalPowers.wholeStep == 0 {
                    let n = exponent / DecimalPowers.wholeStep
                    unsafe power.copy(to: words + count * 2 + n * (n - 1))
                }
                power.multiply(by: 5)
            }
            // ⌊2ᵇ / 5ⁿ⌋ for every n by dividing again and again: the floors compose.
            reciprocal.set(1)
            reciprocal.shiftLeft(by: 2_000)
            for exponent in 1...(-DecimalPowers.smallest) {
                reciprocal.divide(by: 5)
                var leading = reciprocal.leadingWords
                // Those of one factor are rounded up, so that their products are never too small.
                if exponent <= 27 { leading.low &+= 1 }
                store(leading, at: -exponent)
            }
        }
        unsafe self.words = UnsafePointer(words)
    }
}
