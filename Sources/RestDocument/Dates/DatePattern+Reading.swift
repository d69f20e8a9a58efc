// SPDX-License-Identifier: Apache-2.0

extension DatePattern {
    /// Returns the fields of a date, or `nil` if the pattern does not match the whole text.
    ///
    /// A number that is delimited may have fewer digits than its symbol has letters. A space
    /// matches several spaces. Names may be full or have three letters, in any case. A time zone is
    /// accepted in every style.
    package func read(_ text: borrowing Span<UInt8>) -> DateFields? {
        guard text.count <= 256 else { return nil }
        var reader = DateReader()
        var fields = DateFields()
        var isAfternoon: Bool?
        for (index, element) in elements.enumerated() {
            let isFixed = index + 1 < elements.count && elements[index + 1].isNumber
            if case .dayPeriod = element {
                guard let period = reader.name(text, among: DateNames.dayPeriods) else {
                    return nil
                }
                isAfternoon = period == 1
                continue
            }
            guard Self.take(element, isFixed, text, &reader, &fields) else { return nil }
        }
        guard reader.position == text.count else { return nil }
        if let isAfternoon {
            guard 1...12 ~= fields.hour else { return nil }
            fields.hour = fields.hour % 12 + (isAfternoon ? 12 : 0)
        }
        return fields
    }

    private static func take(
        _ element: Element, _ isFixed: Bool, _ text: borrowing Span<UInt8>,
        _ reader: inout DateReader, _ fields: inout DateFields
    ) -> Bool {
        switch element {
        case .literal(let byte):
            guard reader.skip(text, byte) else { return false }
            if byte == UInt8(ascii: " ") { while reader.skip(text, byte) {} }
            return true
        case .year(let digits):
            if digits == 2 {
                return assign(reader.number(text, 2).map(fullYear), to: &fields.year)
            }
            return assign(reader.number(text, digits == 4 ? 4...4 : 1...4), to: &fields.year)
        case .month(let digits):
            return assign(reader.number(text, isFixed ? digits : nil), to: &fields.month)
        case .monthName:
            let name = reader.name(text, among: DateNames.anyMonths)
            return assign(name.map { $0 % 12 + 1 }, to: &fields.month)
        case .day(let digits):
            return assign(reader.number(text, isFixed ? digits : nil), to: &fields.day)
        case .hour(let digits), .halfDayHour(let digits):
            return assign(reader.number(text, isFixed ? digits : nil), to: &fields.hour)
        case .minute(let digits):
            return assign(reader.number(text, isFixed ? digits : nil), to: &fields.minute)
        case .second(let digits):
            return assign(reader.number(text, isFixed ? digits : nil), to: &fields.second)
        case .fraction:
            guard let value = reader.decimals(text) else { return false }
            fields.fraction = value
            return true
        case .weekday: return reader.name(text, among: DateNames.anyWeekdays) != nil
        case .zone: return zone(text, &reader, &fields)
        case .dayPeriod: return false
        }
    }

    private static func assign(_ value: Int?, to part: inout Int) -> Bool {
        guard let value else { return false }
        part = value
        return true
    }

    /// Interprets a two-digit year as 1970 through 2069, as POSIX does.
    private static func fullYear(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

    /// Reads a zone name, an offset, or a name with an offset.
    private static func zone(
        _ text: borrowing Span<UInt8>, _ reader: inout DateReader, _ fields: inout DateFields
    ) -> Bool {
        let name = reader.name(text, among: DateNames.zoneNames)
        if let name { fields.offset = DateNames.zones[name].hours * 3600 }
        let sign = reader.skip(text, "-") ? -1 : 1
        guard sign < 0 || reader.skip(text, "+") else { return name != nil }
        guard let hours = reader.number(text, name == nil ? 2...2 : 1...2), hours < 24 else {
            return false
        }
        let hasColon = reader.skip(text, ":")
        let minutes = reader.number(text, 2...2)
        guard !hasColon || minutes != nil, minutes ?? 0 < 60 else { return false }
        fields.offset = (fields.offset ?? 0) + sign * (hours * 3600 + (minutes ?? 0) * 60)
        return true
    }
}
