// SPDX-License-Identifier: Apache-2.0

/// A table of the powers of ten from 10⁻³⁴² to 10³⁰⁸, each as the first 128 bits of its binary
/// form.
///
/// Powers below one are rounded up, as the Eisel-Lemire algorithm requires; larger powers are
/// truncated. The table is computed with exact integers on first use, which takes about 0.1 ms.
///
/// Source: Lemire, "Number parsing at a gigabyte per second", 2021, section 5.
///
/// `@unchecked Sendable` invariant: `init` fills the table, which is only read afterwards and never
/// deallocated.
@safe
struct DecimalPowers: @unchecked Sendable {
    /// The smallest exponent in the table.
    static let smallest = -342
    /// The largest exponent in the table.
    static let largest = 308

    /// The exponent 55 of the largest power of five within 128 bits.
    ///
    /// 5⁵⁵ⁿ has 2n words.
    static let exactStep = 55
    /// The largest n for which the table contains 5⁵⁵ⁿ.
    private static let largestExact = 20

    /// The shared table.
    static let shared = DecimalPowers()

    /// Two words for each power, the more significant word first, followed by the exact powers of
    /// five.
    let words: UnsafePointer<UInt64>

    /// Returns the words of 5⁵⁵ⁿ, least significant first.
    static func exactPower(
        _ n: Int, _ words: UnsafePointer<UInt64>
    ) -> UnsafePointer<UInt64> {
        assert(n > 0 && n <= largestExact)
        return unsafe words + (largest - smallest + 1) * 2 + n * (n - 1)
    }

    private init() {
        let count = DecimalPowers.largest - DecimalPowers.smallest + 1
        let exactCount = DecimalPowers.largestExact * (DecimalPowers.largestExact + 1)
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count * 2 + exactCount)
        func store(_ leading: (high: UInt64, low: UInt64), at power: Int) {
            let slot = (power - DecimalPowers.smallest) * 2
            (unsafe words[slot], unsafe words[slot + 1]) = leading
        }
        WideInteger.withTwo { power, reciprocal in
            // 10ⁿ and 5ⁿ have the same leading bits.
            power.set(1)
            let last = DecimalPowers.exactStep * DecimalPowers.largestExact
            for exponent in 0...last {
                if exponent <= DecimalPowers.largest { store(power.leadingWords, at: exponent) }
                if exponent > 0, exponent % DecimalPowers.exactStep == 0 {
                    let n = exponent / DecimalPowers.exactStep
                    unsafe power.copy(to: words + count * 2 + n * (n - 1))
                }
                power.multiply(by: 5)
            }
            // Repeated division gives ⌊2ᵇ / 5ⁿ⌋ for every n, because floors compose.
            reciprocal.set(1)
            reciprocal.shiftLeft(by: 2_000)
            for exponent in 1...(-DecimalPowers.smallest) {
                reciprocal.divide(by: 5)
                var leading = reciprocal.leadingWords
                // Powers of up to one factor are rounded up, so that their products are never too
                // small.
                if exponent <= 27 { leading.low &+= 1 }
                store(leading, at: -exponent)
            }
        }
        unsafe self.words = UnsafePointer(words)
    }
}
