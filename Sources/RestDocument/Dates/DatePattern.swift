// SPDX-License-Identifier: Apache-2.0

/// A date pattern in the field symbols of Unicode, for English and the Gregorian calendar.
///
/// The supported symbols are `y`, `yy`, `yyyy`, `M` to `MMMM`, `d`, `H`, `h`, `m`, `s` with one
/// letter or two, `S`, `a`, `E` to `EEEE`, `z`, `Z` and `X`. Text in apostrophes and all
/// non-letters are literals.
///
/// Source: Unicode Technical Standard 35, part 4, section 8 (Date Format Patterns).
package struct DatePattern: Sendable, Hashable {
    /// An error that indicates an unsupported symbol.
    package struct UnknownSymbol: Error {
        /// The symbol with all its letters.
        package let symbol: String
    }

    enum Element: Sendable, Hashable {
        case literal(UInt8)
        case year(digits: Int)
        case month(digits: Int)
        case monthName(isFull: Bool)
        case day(digits: Int)
        case hour(digits: Int)
        case halfDayHour(digits: Int)
        case minute(digits: Int)
        case second(digits: Int)
        case fraction(digits: Int)
        case dayPeriod
        case weekday(isFull: Bool)
        case zone(ZoneStyle)

        var isNumber: Bool {
            switch self {
            case .year, .month, .day, .hour, .halfDayHour, .minute, .second, .fraction: true
            default: false
            }
        }
    }

    /// The styles of a written offset.
    ///
    /// Reading accepts all of them.
    enum ZoneStyle: Sendable, Hashable {
        /// `GMT`, `GMT-04:00`.
        case name
        /// `-0400`.
        case basic
        /// `-04:00`.
        case extended
        /// `-04`, `-0430`.
        case short
    }

    /// The text of the pattern.
    package let text: String
    let elements: [Element]
    /// A Boolean value that indicates whether offset 0 is written as `Z`.
    let writesZForUTC: Bool

    /// Creates a pattern from its text.
    package init(_ text: String) throws(UnknownSymbol) {
        self.text = text
        var elements: [Element] = []
        var writesZForUTC = false
        var rest = Substring(text)
        while let letter = rest.first {
            if letter == "'" {
                elements += Self.quoted(&rest).map { .literal($0) }
            } else if letter.isASCII, letter.isLetter {
                let symbol = rest.prefix { $0 == letter }
                rest = rest[symbol.endIndex...]
                guard let element = Self.element(letter, symbol.count) else {
                    throw UnknownSymbol(symbol: String(symbol))
                }
                if letter == "X" || symbol == "ZZZZZ" { writesZForUTC = true }
                elements.append(element)
            } else {
                elements += String(letter).utf8.map { .literal($0) }
                rest = rest.dropFirst()
            }
        }
        self.elements = elements
        self.writesZForUTC = writesZForUTC
    }

    private init(known elements: [Element], _ text: String) {
        self.elements = elements
        self.text = text
        writesZForUTC = false
    }

    /// Reads the bytes between apostrophes; two consecutive apostrophes are a literal one.
    private static func quoted(_ rest: inout Substring) -> [UInt8] {
        rest = rest.dropFirst()
        if rest.first == "'" {
            rest = rest.dropFirst()
            return [UInt8(ascii: "'")]
        }
        var bytes: [UInt8] = []
        while let letter = rest.first {
            rest = rest.dropFirst()
            if letter == "'" {
                guard rest.first == "'" else { return bytes }
                rest = rest.dropFirst()
            }
            bytes += String(letter).utf8
        }
        return bytes
    }

    private static func element(_ letter: Character, _ count: Int) -> Element? {
        switch (letter, count) {
        case ("y", 1), ("y", 2), ("y", 4): .year(digits: count)
        case ("M", 1...2): .month(digits: count)
        case ("M", 3...4): .monthName(isFull: count == 4)
        case ("d", 1...2): .day(digits: count)
        case ("H", 1...2): .hour(digits: count)
        case ("h", 1...2): .halfDayHour(digits: count)
        case ("m", 1...2): .minute(digits: count)
        case ("s", 1...2): .second(digits: count)
        case ("S", 1...9): .fraction(digits: count)
        case ("a", 1...3): .dayPeriod
        case ("E", 1...4): .weekday(isFull: count == 4)
        case ("z", 1...4), ("Z", 4): .zone(.name)
        case ("Z", 1...3), ("X", 2): .zone(.basic)
        case ("Z", 5), ("X", 3): .zone(.extended)
        case ("X", 1): .zone(.short)
        default: nil
        }
    }
}

// MARK: - Patterns of the default chain

extension DatePattern {
    /// The pattern `MM/dd/yyyy`.
    package static let monthDayYear = DatePattern(
        known: [
            .month(digits: 2), slash, .day(digits: 2), slash, .year(digits: 4),
        ], "MM/dd/yyyy")

    /// The pattern `yyyy-MM-dd`.
    package static let yearMonthDay = DatePattern(
        known: [
            .year(digits: 4), dash, .month(digits: 2), dash, .day(digits: 2),
        ], "yyyy-MM-dd")

    /// The pattern `EEE, dd MMM yyyy HH:mm:ss zzz`.
    package static let rfc1123 = DatePattern(
        known: [
            .weekday(isFull: false), comma, space, .day(digits: 2), space,
            .monthName(isFull: false), space, .year(digits: 4), space,
        ] + clock + [space, .zone(.name)], "EEE, dd MMM yyyy HH:mm:ss zzz")

    /// The pattern `EEEE, dd-MMM-yy HH:mm:ss zzz`.
    package static let rfc850 = DatePattern(
        known: [
            .weekday(isFull: true), comma, space, .day(digits: 2), dash,
            .monthName(isFull: false), dash, .year(digits: 2), space,
        ] + clock + [space, .zone(.name)], "EEEE, dd-MMM-yy HH:mm:ss zzz")

    /// The pattern `EEE MMM d HH:mm:ss yyyy`.
    package static let asctime = DatePattern(
        known: [
            .weekday(isFull: false), space, .monthName(isFull: false), space, .day(digits: 1),
            space,
        ] + clock + [space, .year(digits: 4)], "EEE MMM d HH:mm:ss yyyy")

    private static let slash = Element.literal(UInt8(ascii: "/"))
    private static let dash = Element.literal(UInt8(ascii: "-"))
    private static let space = Element.literal(UInt8(ascii: " "))
    private static let comma = Element.literal(UInt8(ascii: ","))
    private static let colon = Element.literal(UInt8(ascii: ":"))
    private static let clock: [Element] = [
        .hour(digits: 2), colon, .minute(digits: 2), colon, .second(digits: 2),
    ]
}
