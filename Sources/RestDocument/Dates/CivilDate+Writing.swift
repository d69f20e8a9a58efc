// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

extension CivilDate {
    /// The instant as text in UTC; see ``rfc3339(offset:)``.
    package var rfc3339: String { rfc3339(offset: 0) }

    /// Returns the instant as text with as many decimals of a second as it has, at most six:
    /// `2024-05-01T12:00:00Z`, `2024-05-01T12:00:00.25Z`.
    ///
    /// Source: RFC 3339 section 5.6.
    ///
    /// - Parameter offset: The seconds east of Greenwich.
    /// - Returns: The text.
    package func rfc3339(offset: Int) -> String {
        let (moment, digits) = inMicroseconds
        return moment.iso8601(fractionDigits: digits, offset: offset)
    }

    /// The instant rounded to microseconds, and the number of decimals without trailing zeros.
    package var inMicroseconds: (moment: CivilDate, fractionDigits: Int) {
        if fraction == 0 { return (self, 0) }
        var moment = self
        var micros = Int((fraction * 1e6).rounded())
        if micros == 1_000_000 {
            // The last instant that can be written does not move into the next year.
            if seconds == Self.endSecond - 1 {
                micros = 999_999
            } else {
                (moment.seconds, micros) = (seconds + 1, 0)
            }
        }
        moment.fraction = Double(micros) / 1e6
        var digits = micros == 0 ? 0 : 6
        while digits > 0, micros % 10 == 0 {
            micros /= 10
            digits -= 1
        }
        return (moment, digits)
    }
}

extension [UInt8] {
    /// Appends a number that is not negative, padded with leading zeros to a number of digits.
    mutating func append(number: Int, digits: Int) {
        var scale = 1
        for _ in 1..<digits { scale *= 10 }
        while number / scale > 9 { scale *= 10 }
        while scale > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / scale % 10))
            scale /= 10
        }
    }

    /// Appends an offset from UTC, in seconds east of Greenwich, as `+0200` or `+02:00`.
    mutating func append(offset: Int, isExtended: Bool) {
        append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        let minutes = abs(offset) / 60
        append(number: minutes / 60, digits: 2)
        if isExtended { append(UInt8(ascii: ":")) }
        append(number: minutes % 60, digits: 2)
    }
}
