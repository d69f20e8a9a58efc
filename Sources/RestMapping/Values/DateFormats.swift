// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The date formats of a mapping; the first format that matches a text reads it.
///
/// A list other than ``standard`` is complete: text in other formats is an issue. A number of seconds
/// since 1970 is a coercion, ``Coercion/secondsToDate``, and needs no format; text such as
/// `"1386786787"` needs ``DateFormat/seconds``.
public struct DateFormats: Sendable, Hashable {
    /// The formats, in the order in which they are tried.
    public private(set) var formats: [DateFormat]
    /// The format for writing dates; nil for the first of the list.
    public var preferred: DateFormat?

    /// Creates a list of exactly these formats.
    public init(_ formats: [DateFormat], preferred: DateFormat? = nil) {
        self.formats = formats
        self.preferred = preferred
    }

    /// Inserts a format before all others, or moves it there.
    public mutating func prepend(_ format: DateFormat) {
        formats.removeAll { $0 == format }
        formats.insert(format, at: 0)
    }

    /// Inserts a format from field symbols before all others.
    ///
    /// - Throws: ``MappingError`` under the conditions of ``DateFormat/init(_:zone:)``.
    public mutating func prepend(
        _ pattern: String, zone: TimeZone = .gmt
    ) throws(MappingError) {
        prepend(try DateFormat(pattern, zone: zone))
    }

    /// The standard formats: ISO 8601, `MM/dd/yyyy`, `yyyy-MM-dd` and the three of HTTP, all in
    /// UTC.
    ///
    /// The third is for writing only, as the first reads all of its texts.
    public static let standard = DateFormats([
        .iso8601, .monthDayYear, .yearMonthDay, .rfc1123, .rfc850, .asctime,
    ])

    /// Returns the date of a text by the first format that matches, or nil.
    public func date(from text: String) -> Date? {
        let bytes = Array(text.utf8)
        for format in formats {
            if let date = format.date(from: bytes.span) { return date }
        }
        return nil
    }

    /// Returns the text of a date in the preferred format, or nil if it cannot represent the date.
    public func text(from date: Date) -> String? {
        (preferred ?? formats.first ?? .iso8601).text(from: date)
    }
}
