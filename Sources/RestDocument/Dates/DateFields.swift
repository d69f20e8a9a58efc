// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

/// The fields of a date and time of day, as a text gives them.
package struct DateFields: Sendable {
    package var year = 1970
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var fraction = 0.0
    /// The seconds east of Greenwich, or `nil` if the text has no zone.
    package var offset: Int?
    /// The parts of ISO 8601 that the text has.
    package var form = ISOForm.day
    /// A Boolean value that indicates whether the text is a date-time of RFC 3339.
    package var isRFC3339: Bool { form == .rfc3339 }

    package init() {}

    /// Creates the fields of an instant in the zone with an offset.
    ///
    /// - Parameters:
    ///   - moment: The instant.
    ///   - offset: The seconds east of Greenwich.
    package init(_ moment: CivilDate, offset: Int) {
        let local = moment.seconds + offset
        var days = local / 86_400
        var rest = local % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let date = CivilDay(dayNumber: days)
        year = date.year
        month = date.month
        day = date.day
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
        fraction = moment.fraction
        self.offset = offset
    }

    /// The day of the week, from 0 for Sunday to 6 for Saturday; 0 if there is no such date.
    package var weekday: Int {
        guard let date = CivilDay(year: year, month: month, day: day) else { return 0 }
        return CivilDay.weekday(ofDayNumber: date.dayNumber)
    }

    /// A Boolean value that indicates whether this is the second before midnight UTC, where leap
    /// seconds are inserted.
    ///
    /// Whether that very midnight had a leap second is unknown.
    var isLeapSecond: Bool {
        let minutes = hour * 60 + minute - (offset ?? 0) / 60
        return (minutes % 1440 + 1440) % 1440 == 1439
    }
}

extension CivilDate {
    /// Creates the instant that fields name, or returns `nil` if the calendar has no such date.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - offset: The seconds east of Greenwich that apply if the fields have no zone.
    package init?(_ fields: DateFields, offset: Int = 0) {
        self.init(
            year: fields.year, month: fields.month, day: fields.day, hour: fields.hour,
            minute: fields.minute, second: fields.second, fraction: fields.fraction,
            offset: fields.offset ?? offset)
    }
}
