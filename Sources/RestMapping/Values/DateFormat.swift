// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A textual or numeric format of dates, in both directions.
///
/// Formats use English and the Gregorian calendar, regardless of the user's settings. Text is read
/// in the time zone that it names, else in the format's own, and written in the format's own.
///
///     let german = try DateFormat("dd.MM.yyyy", zone: berlin)
///     let mapping = ObjectMapping(for: Article.self) {
///         attribute("published", to: \.published, using: DateFormat.rfc3339)
///         attribute("day", to: \.day, using: german)
///     }
///
/// A leap second (`23:59:60`) is read as the first second of the next minute; ``rfc3339`` accepts
/// it only in the last minute of a UTC day.
public struct DateFormat: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case rfc3339
        /// With as many fraction digits as necessary if their number is nil.
        case iso8601(fractionDigits: Int?)
        case timestamp
        case pattern(DatePattern)
        case seconds
        case milliseconds
        case dotNet
    }

    let kind: Kind
    /// The time zone of text that names none, and the zone that text is written in.
    public let zone: TimeZone
    /// A Boolean value that indicates whether the zone is UTC, which needs no time zone rules.
    let isUTC: Bool

    init(_ kind: Kind, zone: TimeZone = .gmt) {
        self.kind = kind
        self.zone = zone
        isUTC = zone == .gmt
    }

    /// Creates a format from Unicode's date field symbols `y M d H h m s S a E z Z X`.
    ///
    /// - Parameters:
    ///   - pattern: A pattern such as `dd/MM/yyyy` or `yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ`.
    ///   - zone: The time zone of dates that name none.
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidDateFormat`` for any other
    ///   symbol.
    public init(_ pattern: String, zone: TimeZone = .gmt) throws(MappingError) {
        let compiled: DatePattern
        do throws(DatePattern.UnknownSymbol) {
            compiled = try DatePattern(pattern)
        } catch {
            throw MappingError(.invalidDateFormat, mapping: pattern)
        }
        self.init(.pattern(compiled), zone: zone)
    }

    // MARK: Known formats

    /// The date-time of RFC 3339; written with as many fraction digits as necessary, at most six.
    public static let rfc3339 = DateFormat(.rfc3339)

    /// ISO 8601 with hyphens and colons: a day, or a day and a time with or without seconds,
    /// fraction and zone; written as `1970-01-01T00:00:00Z`, with as many fraction digits as
    /// necessary, at most six.
    public static let iso8601 = DateFormat(.iso8601(fractionDigits: nil))

    /// ISO 8601 as read by ``iso8601``, written without the fraction of a second:
    /// `1970-01-01T00:00:00Z`.
    public static let iso8601InSeconds = DateFormat(.iso8601(fractionDigits: 0))

    /// ISO 8601 as read by ``iso8601``, written with three fraction digits:
    /// `1970-01-01T00:00:00.000Z`.
    public static let iso8601WithFraction = DateFormat(.iso8601(fractionDigits: 3))

    /// A day and a time with seconds, with or without fraction and zone; written as
    /// `1970-01-01T00:00:00.000Z`.
    public static let timestamp = DateFormat(.timestamp)

    /// The month, day and year: `11/27/1982`.
    public static let monthDayYear = DateFormat(.pattern(.monthDayYear))

    /// The year, month and day: `1982-11-27`.
    public static let yearMonthDay = DateFormat(.pattern(.yearMonthDay))

    /// The date of HTTP and mail (RFC 1123): `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static let rfc1123 = DateFormat(.pattern(.rfc1123))

    /// The date of RFC 850: `Sunday, 06-Nov-94 08:49:37 GMT`; a two-digit year is 1970 to 2069.
    public static let rfc850 = DateFormat(.pattern(.rfc850))

    /// The date of C's `asctime`: `Sun Nov  6 08:49:37 1994`.
    public static let asctime = DateFormat(.pattern(.asctime))

    /// The seconds since 1970, as a number or its text, within the years 0 to 9999.
    public static let seconds = DateFormat(.seconds)

    /// The milliseconds since 1970, as a number or its text, within the years 0 to 9999.
    public static let milliseconds = DateFormat(.milliseconds)

    /// Returns the format of ASP.NET's JSON, `/Date(1000212360000-0400)/`: milliseconds since 1970
    /// and an offset that does not affect the date.
    ///
    /// - Parameter zone: The time zone whose offset at the date is written.
    /// - Returns: The format.
    public static func dotNet(zone: TimeZone = .gmt) -> DateFormat {
        DateFormat(.dotNet, zone: zone)
    }

    /// Returns the same format with another time zone, for text that names none and for writing.
    public func `in`(_ zone: TimeZone) -> DateFormat { DateFormat(kind, zone: zone) }
}

extension DateFormat: CustomStringConvertible {
    /// The name of the format, such as `RFC 3339` or its pattern, with its zone if not UTC.
    public var description: String {
        let name =
            switch kind {
            case .rfc3339: "RFC 3339"
            case .iso8601(nil): "ISO 8601"
            case .iso8601(let digits):
                digits == 0 ? "ISO 8601 in seconds" : "ISO 8601 with fraction"
            case .timestamp: "ISO 8601 timestamp"
            case .pattern(let pattern): pattern.text
            case .seconds: "seconds since 1970"
            case .milliseconds: "milliseconds since 1970"
            case .dotNet: ".NET date"
            }
        return isUTC ? name : "\(name) in \(zone.identifier)"
    }
}

// MARK: - Reading

extension DateFormat {
    /// Returns the date of a text, or nil if the format does not match the whole text.
    public func date(from text: String) -> Date? { date(from: Array(text.utf8).span) }

    func date(from text: borrowing Span<UInt8>) -> Date? {
        switch kind {
        case .rfc3339: DateText.iso8601(text).flatMap { $0.isRFC3339 ? date($0) : nil }
        case .iso8601: DateText.iso8601(text).flatMap { date($0) }
        case .timestamp: DateText.iso8601(text).flatMap { $0.isTimestamp ? date($0) : nil }
        case .pattern(let pattern): pattern.read(text).flatMap { date($0) }
        case .seconds, .milliseconds: DecimalText.double(text).flatMap { date(from: $0) }
        case .dotNet: DotNetDate.milliseconds(text).map { Date(timeIntervalSince1970: $0 / 1000) }
        }
    }

    /// Returns the date of a number, for numeric formats; nil if it is not within the years 0 to 9999.
    func date(from number: Double) -> Date? {
        switch kind {
        case .seconds: Self.date(ofSeconds: number)
        case .milliseconds: Self.date(ofSeconds: number / 1000)
        default: nil
        }
    }

    /// Returns the date that is some seconds after 1970; nil if it is not within the years 0 to 9999.
    static func date(ofSeconds seconds: Double) -> Date? {
        let isInRange =
            seconds >= Double(CivilDate.firstSecond) && seconds < Double(CivilDate.endSecond)
        return isInRange ? Date(timeIntervalSince1970: seconds) : nil
    }

    /// Returns a Boolean value that indicates whether text has all parts of a timestamp, whether or
    /// not they form a valid date.
    static func hasTimestampShape(_ text: String) -> Bool {
        DateText.iso8601(Array(text.utf8).span)?.isTimestamp == true
    }

    private func date(_ fields: DateFields) -> Date? {
        guard let moment = CivilDate(fields) else { return nil }
        let date = Date(timeIntervalSince1970: moment.secondsSince1970)
        return isUTC || fields.offset != nil ? date : zone.date(ofLocal: date)
    }
}

extension DateFields {
    /// A Boolean value that indicates whether all parts of a timestamp are present: date, time with
    /// seconds, and a whole offset or none.
    fileprivate var isTimestamp: Bool {
        form.contains(.seconds) && !form.contains(.odd)
    }
}

extension TimeZone {
    /// Returns the date at which the zone's local time equals the UTC time of another date.
    ///
    /// If there are two such dates, the result is the first. If there is none, because clocks are set
    /// forward, the result is the date of the transition, later by the same amount.
    fileprivate func date(ofLocal local: Date) -> Date {
        let before = secondsFromGMT(for: local - 86_400)
        let first = local - Double(before)
        if secondsFromGMT(for: first) == before { return first }
        let after = secondsFromGMT(for: local + 86_400)
        let second = local - Double(after)
        return secondsFromGMT(for: second) == after ? second : first
    }
}

// MARK: - Writing

extension DateFormat {
    /// Returns the text of a date, or nil if the format cannot represent it, such as years beyond
    /// 9999 in most formats.
    public func text(from date: Date) -> String? {
        let interval = date.timeIntervalSince1970
        guard interval.isFinite else { return nil }
        switch kind {
        case .rfc3339, .iso8601, .timestamp:
            return isoMoment(of: date).map { moment, digits in
                moment.iso8601(fractionDigits: digits, offset: offset(at: date))
            }
        case .pattern(let pattern):
            return moment(interval, digits: pattern.fractionDigits).map {
                pattern.text(of: $0, offset: offset(at: date))
            }
        case .seconds, .milliseconds:
            return Self.date(ofSeconds: interval).map { NumberText.text(of: number(from: $0)) }
        case .dotNet:
            return DotNetDate.text(milliseconds: interval * 1000, offset: offset(at: date))
        }
    }

    /// Returns the civil date and the number of its fraction digits for ISO 8601 formats; nil for
    /// other formats, and if the format cannot represent the date.
    private func isoMoment(of date: Date) -> (moment: CivilDate, fractionDigits: Int)? {
        let interval = date.timeIntervalSince1970
        switch kind {
        case .rfc3339, .iso8601(nil): return moment(interval, digits: 6)?.inMicroseconds
        case .iso8601(let digits?): return moment(interval, digits: digits).map { ($0, digits) }
        case .timestamp: return moment(interval, digits: 3).map { ($0, 3) }
        default: return nil
        }
    }

    /// Appends the text of a date in quotes, without creating a string.
    ///
    /// - Returns: A Boolean value that indicates whether this is an ISO 8601 format that can
    ///   represent the date; if not, nothing is appended.
    func append(_ date: Date, to output: JSONTextBuffer) -> Bool {
        guard let (moment, digits) = isoMoment(of: date) else { return false }
        output.appendByte(UInt8(ascii: "\""))
        output.append(moment, fractionDigits: digits, offset: offset(at: date))
        output.appendByte(UInt8(ascii: "\""))
        return true
    }

    /// Returns the date as a number: milliseconds since 1970, or seconds.
    func number(from date: Date) -> Double {
        date.timeIntervalSince1970 * (kind == .milliseconds ? 1000 : 1)
    }

    /// Returns the rounded civil date, if it is within the years 0 to 9999 in UTC and in the zone.
    ///
    /// A date that would round to the year 10,000 is truncated instead.
    private func moment(_ interval: Double, digits: Int) -> CivilDate? {
        let offset = offset(at: Date(timeIntervalSince1970: interval))
        let years = CivilDate.firstSecond..<CivilDate.endSecond
        if let rounded = CivilDate(secondsSince1970: interval, digits: digits),
            years.contains(rounded.seconds + offset)
        {
            return rounded
        }
        guard var last = CivilDate(secondsSince1970: interval),
            max(last.seconds, last.seconds + offset) == CivilDate.endSecond - 1
        else { return nil }
        let scale = CivilDate.scale(digits)
        last.fraction = (scale - 1) / scale
        return last
    }

    private func offset(at date: Date) -> Int { isUTC ? 0 : zone.secondsFromGMT(for: date) }
}
