// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The date formats of a mapping: the first that fits a text reads it.
///
/// A list that is not ``standard`` is complete: text in other formats is an issue. Seconds since
/// 1970 are a coercion, ``Coercion/secondsToDate``, and need no format.
public struct DateFormats: Sendable, Hashable {
    /// The formats, in the order they are tried.
    public private(set) var formats: [DateFormat]
    /// The format that dates are written in; nil for the first of the list.
    public var preferred: DateFormat?

    /// Makes a list of exactly these formats.
    public init(_ formats: [DateFormat], preferred: DateFormat? = nil) {
        self.formats = formats
        self.preferred = preferred
    }

    /// Puts a format before all others, where it stood before it is taken out.
    public mutating func prepend(_ format: DateFormat) {
        formats.removeAll { $0 == format }
        formats.insert(format, at: 0)
    }

    /// Puts a format in field symbols before all others.
    ///
    /// - Throws: ``MappingError`` as ``DateFormat/init(_:zone:)`` does.
    public mutating func prepend(
        _ pattern: String, zone: TimeZone = .gmt
    ) throws(MappingError) {
        prepend(try DateFormat(pattern, zone: zone))
    }

    /// ISO 8601, `MM/dd/yyyy`, `yyyy-MM-dd` and the three of HTTP, all in UTC.
    ///
    /// The third is there to be written: the first reads all it does.
    public static let standard = DateFormats([
        .iso8601, .monthDayYear, .yearMonthDay, .rfc1123, .rfc850, .asctime,
    ])

    /// The date a text is by the first format that fits it, or nil.
    public func date(from text: String) -> Date? {
        let bytes = Array(text.utf8)
        for format in formats {
            if let date = format.date(from: bytes.span) { return date }
        }
        return nil
    }

    /// The text of a date in the preferred format, or nil if that has no room for it.
    public func text(from date: Date) -> String? {
        (preferred ?? formats.first ?? .iso8601).text(from: date)
    }
}
