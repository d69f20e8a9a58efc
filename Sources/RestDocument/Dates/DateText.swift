// SPDX-License-Identifier: Apache-2.0

/// Reads the date formats of the default chain from bytes.
///
/// In order: ISO 8601 and RFC 3339, `MM/dd/yyyy`, RFC 1123, RFC 850, C's `asctime`. A reading is
/// linear in the text and looks at no more than 64 bytes.
///
/// Source: RFC 3339 section 5.6, RFC 9110 section 5.6.7, specification rows M048 to M055.
package enum DateText {
    /// The moment a text names, or nil if no format fits it whole; without a zone it is UTC.
    package static func read(_ text: borrowing Span<UInt8>) -> CivilDate? {
        var form: ISOForm = []
        return read(text, &form)
    }

    /// The same, and what the text had of ISO 8601's parts.
    package static func read(
        _ text: borrowing Span<UInt8>, _ form: inout ISOForm
    ) -> CivilDate? {
        guard text.count >= 8, text.count <= 64 else { return nil }
        if text[4] == UInt8(ascii: "-") {
            guard let fields = iso8601(text) else { return nil }
            form = fields.form
            return CivilDate(fields)
        }
        if text[0] &- UInt8(ascii: "0") < 10 {
            return DatePattern.monthDayYear.read(text).flatMap { CivilDate($0) }
        }
        let fields =
            DatePattern.rfc1123.read(text) ?? DatePattern.rfc850.read(text)
            ?? DatePattern.asctime.read(text)
        return fields.flatMap { CivilDate($0) }
    }

    /// `2011-08-09`, `2011-08-09T00:00Z`, `2011-08-09 00:00:00.123+02:00` and what is between.
    package static func iso8601(_ text: borrowing Span<UInt8>) -> DateFields? {
        guard text.count >= 10, text.count <= 64 else { return nil }
        var reader = DateReader()
        var fields = DateFields()
        guard let year = reader.number(text, 4), reader.skip(text, "-"),
            let month = reader.number(text, 2), reader.skip(text, "-"),
            let day = reader.number(text, 2)
        else { return nil }
        fields.year = year
        fields.month = month
        fields.day = day
        if reader.position == text.count { return fields }
        if reader.skip(text, "T") || reader.skip(text, "t") {
            fields.form = [.time, .letter]
        } else {
            guard reader.skip(text, " ") else { return nil }
            fields.form = .time
        }
        guard reader.time(text, into: &fields), reader.offset(text, into: &fields),
            reader.position == text.count
        else { return nil }
        if fields.second == 60, !fields.isLeapSecond { fields.form.insert(.odd) }
        return fields
    }
}

extension DateReader {
    /// `00:00`, `00:00:00`, `00:00:00.123`.
    mutating func time(_ text: borrowing Span<UInt8>, into fields: inout DateFields) -> Bool {
        guard let hour = number(text, 2), skip(text, ":"), let minute = number(text, 2) else {
            return false
        }
        fields.hour = hour
        fields.minute = minute
        if hour > 23 { fields.form.insert(.odd) }
        guard skip(text, ":") else { return true }
        guard let second = number(text, 2) else { return false }
        fields.second = second
        fields.form.insert(.seconds)
        let hasComma = skip(text, ",")
        if hasComma { fields.form.insert(.odd) }
        if hasComma || skip(text, ".") {
            guard let value = decimals(text) else { return false }
            fields.fraction = value
        }
        return true
    }

    /// `Z`, `+02:00`, `+0200`, `+02` or nothing.
    mutating func offset(_ text: borrowing Span<UInt8>, into fields: inout DateFields) -> Bool {
        if position == text.count { return true }
        if skip(text, "Z") || skip(text, "z") {
            fields.offset = 0
            fields.form.insert(.zone)
            return true
        }
        if skip(text, " ") { fields.form.insert(.odd) }
        let sign = skip(text, "-") ? -1 : 1
        guard sign < 0 || skip(text, "+"), let hours = number(text, 2), hours < 24 else {
            return false
        }
        var minutes = 0
        if position < text.count {
            if skip(text, ":") { fields.form.insert(.zone) }
            guard let value = number(text, 2), value < 60 else { return false }
            minutes = value
        } else {
            fields.form.insert(.odd)
        }
        fields.offset = sign * (hours * 3600 + minutes * 60)
        return true
    }
}
