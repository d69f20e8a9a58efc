// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

extension DatePattern {
    /// The number of fraction digits that the pattern writes.
    package var fractionDigits: Int {
        elements.reduce(0) { digits, element in
            if case .fraction(let count) = element { max(digits, count) } else { digits }
        }
    }

    /// Returns the text of a moment in the local time of an offset, in seconds east of Greenwich.
    package func text(of moment: CivilDate, offset: Int) -> String {
        let fields = DateFields(moment, offset: offset)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for element in elements { append(element, fields, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(_ element: Element, _ fields: DateFields, to bytes: inout [UInt8]) {
        switch element {
        case .literal(let byte): bytes.append(byte)
        case .year(let digits):
            bytes.append(number: digits == 2 ? fields.year % 100 : fields.year, digits: digits)
        case .month(let digits): bytes.append(number: fields.month, digits: digits)
        case .monthName(let isFull):
            bytes += DateNames.months[fields.month - 1].prefix(isFull ? 9 : 3)
        case .day(let digits): bytes.append(number: fields.day, digits: digits)
        case .hour(let digits): bytes.append(number: fields.hour, digits: digits)
        case .halfDayHour(let digits):
            bytes.append(number: (fields.hour + 11) % 12 + 1, digits: digits)
        case .minute(let digits): bytes.append(number: fields.minute, digits: digits)
        case .second(let digits): bytes.append(number: fields.second, digits: digits)
        case .fraction(let digits):
            let units = Int((fields.fraction * CivilDate.scale(digits)).rounded())
            bytes.append(number: units, digits: digits)
        case .dayPeriod: bytes += DateNames.dayPeriods[fields.hour < 12 ? 0 : 1]
        case .weekday(let isFull):
            bytes += DateNames.weekdays[fields.weekday].prefix(isFull ? 9 : 3)
        case .zone(let style): append(style, fields.offset ?? 0, to: &bytes)
        }
    }

    private func append(_ style: ZoneStyle, _ offset: Int, to bytes: inout [UInt8]) {
        if writesZForUTC, offset == 0 {
            bytes.append(UInt8(ascii: "Z"))
            return
        }
        if style == .name {
            bytes += "GMT".utf8
            if offset == 0 { return }
        }
        bytes.append(offset: offset, isExtended: style == .extended || style == .name)
        if style == .short, offset % 3600 == 0 { bytes.removeLast(2) }
    }
}
