// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

extension CivilDate {
    /// The maximum number of bytes that ``write(fractionDigits:offset:to:)`` writes.
    static var longestText: Int { 64 }

    /// Writes the moment with a fixed number of fraction digits: `1970-01-01T02:00:00.000+02:00`.
    ///
    /// - Parameters:
    ///   - fractionDigits: The number of fraction digits, at most nine.
    ///   - offset: The offset of the local time in seconds east of Greenwich.
    ///   - out: Memory for ``longestText`` bytes.
    /// - Returns: The number of written bytes.
    func write(
        fractionDigits: Int, offset: Int, to out: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let fields = DateFields(self, offset: offset)
        var position = 0
        func put(_ number: Int, _ digits: Int) {
            unsafe writeDigits(UInt64(number.magnitude), digits, to: out + position)
            position += digits
        }
        func put(_ byte: Unicode.Scalar) {
            unsafe out[position] = UInt8(ascii: byte)
            position += 1
        }
        put(fields.year, max(4, digitCount(UInt64(fields.year.magnitude))))
        put("-")
        put(fields.month, 2)
        put("-")
        put(fields.day, 2)
        put("T")
        put(fields.hour, 2)
        put(":")
        put(fields.minute, 2)
        put(":")
        put(fields.second, 2)
        if fractionDigits > 0 {
            put(".")
            put(Int((fraction * Self.scale(fractionDigits)).rounded()), fractionDigits)
        }
        if offset == 0 {
            put("Z")
        } else {
            put(offset < 0 ? "-" : "+")
            let minutes = abs(offset) / 60
            put(minutes / 60, 2)
            put(":")
            put(minutes % 60, 2)
        }
        return position
    }

    /// Returns the moment with a fixed number of fraction digits: `1970-01-01T00:00:00Z`,
    /// `1970-01-01T02:00:00.000+02:00`.
    package func iso8601(fractionDigits: Int, offset: Int) -> String {
        unsafe String(unsafeUninitializedCapacity: Self.longestText) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe write(fractionDigits: fractionDigits, offset: offset, to: start)
        }
    }
}
