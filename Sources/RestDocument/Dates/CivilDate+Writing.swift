// SPDX-License-Identifier: Apache-2.0

extension CivilDate {
    /// The moment so many seconds since 1970, or nil outside of the years 0000 to 9999.
    package init?(secondsSince1970: Double) {
        guard secondsSince1970 >= -62_167_219_200, secondsSince1970 < 253_402_300_800 else {
            return nil
        }
        let whole = secondsSince1970.rounded(.down)
        seconds = Int(whole)
        fraction = secondsSince1970 - whole
    }

    /// The moment as text in UTC, with as many decimals of a second as it has, at most six:
    /// `2024-05-01T12:00:00Z`, `2024-05-01T12:00:00.25Z`.
    ///
    /// Source: RFC 3339 section 5.6.
    package var rfc3339: String {
        var seconds = seconds
        var micros = Int((fraction * 1e6).rounded())
        if micros == 1_000_000 {
            // The last moment that can be written is not moved into the next year.
            if seconds == 253_402_300_799 {
                micros = 999_999
            } else {
                (seconds, micros) = (seconds + 1, 0)
            }
        }
        let time = ((seconds % 86_400) + 86_400) % 86_400
        let (year, month, day) = Self.civil((seconds - time) / 86_400)
        var text: [UInt8] = []
        text.reserveCapacity(27)
        func put(_ value: Int, _ width: Int, _ after: Unicode.Scalar) {
            var scale = width == 4 ? 1000 : 10
            while scale > 0 {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / scale % 10))
                scale /= 10
            }
            text.append(UInt8(ascii: after))
        }
        put(year, 4, "-")
        put(month, 2, "-")
        put(day, 2, "T")
        put(time / 3600, 2, ":")
        put(time / 60 % 60, 2, ":")
        put(time % 60, 2, micros == 0 ? "Z" : ".")
        if micros > 0 {
            var scale = 100_000
            while micros > 0 {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: micros / scale))
                micros %= scale
                scale /= 10
            }
            text.append(UInt8(ascii: "Z"))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The date so many days after 1970-01-01, in eras of 400 years from March 1st.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
