// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The invariants of every text that is read as a date, in every format.
package enum DateInvariants {
    private static let zones = [0, 3_600, -12_600, 50_400, -43_200]
        .compactMap { TimeZone(secondsFromGMT: $0) }

    private static let known: [DateFormat] =
        [
            .rfc3339, .iso8601, .iso8601InSeconds, .iso8601WithFraction, .timestamp, .monthDayYear,
            .yearMonthDay,
            .rfc1123, .rfc850, .asctime, .seconds, .milliseconds, .dotNet(),
        ] + zones.dropFirst().flatMap { [DateFormat.iso8601.in($0), .dotNet(zone: $0)] }

    /// Symbols of patterns, and separators.
    private static let symbols = [
        "yyyy", "yy", "y", "MM", "M", "MMM", "MMMM", "dd", "d", "HH", "H", "hh", "h", "mm", "m",
        "ss", "s", "S", "SSS", "SSSSSSSSS", "a", "E", "EEEE", "z", "Z", "ZZZZ", "ZZZZZ", "X",
        "XX", "XXX", "'T'", "''", "'o''clock'", "-", "/", ":", " ", ".", ",", "é", "Q", "YYYY",
    ]

    /// The known formats in four groups; each input writes dates in one group.
    private static let groups = (0..<4).map { group in
        stride(from: group, to: known.count, by: 4).map { known[$0] }
    }

    /// Reads an input up to a zero byte as a date, in the known formats and in one built from the bytes
    /// after it.
    ///
    /// - Returns: Whether any format read it.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let end = input.firstIndex(of: 0) ?? input.count
        let text = String(decoding: input[..<end], as: UTF8.self)
        var source = ByteSource(input[end...].dropFirst())
        let custom = try customFormat(&source)
        let choice = source.byte()
        let interval = Double(bitPattern: source.integer())
        var wasRead = false
        for format in known where try check(text, format, isKnown: true) { wasRead = true }
        if let custom, try check(text, custom, isKnown: false) { wasRead = true }
        if interval.isFinite {
            let date = Date(timeIntervalSince1970: interval)
            for format in groups[Int(choice & 3)] { try check(date, format, isKnown: true) }
            if let custom { try check(date, custom, isKnown: false) }
        }
        try checkMapping(text)
        return wasRead
    }

    /// Returns a format with the number of symbols in the next byte; `nil` if the pattern is invalid.
    private static func customFormat(
        _ source: inout ByteSource
    ) throws(BrokenInvariant) -> DateFormat? {
        let count = Int(source.byte() & 0x0F)
        var pattern = ""
        for _ in 0..<count { pattern += symbols[Int(source.byte()) % symbols.count] }
        let zone = zones[Int(source.byte()) % zones.count]
        do throws(MappingError) {
            return try DateFormat(pattern, zone: zone)
        } catch {
            try require(error.code == .invalidDateFormat, "the code of a format")
            try require(!error.description.utf8.contains(0x0A), "an error of one line")
            return nil
        }
    }

    /// Reads a text, then writes the date and reads it again.
    private static func check(
        _ text: String, _ format: DateFormat, isKnown: Bool
    ) throws(BrokenInvariant) -> Bool {
        guard let date = format.date(from: text) else { return false }
        try require(date.timeIntervalSince1970.isFinite, "a date is a moment: \(format)")
        try check(date, format, isKnown: isKnown)
        // A copy of the text reads as the same date.
        let again = format.date(from: String(decoding: Array(text.utf8), as: UTF8.self))
        try require(again == date, "a text is one date: \(format)")
        return true
    }

    /// Writes a date, reads it back and writes it again as the same text.
    private static func check(
        _ date: Date, _ format: DateFormat, isKnown: Bool
    ) throws(BrokenInvariant) {
        guard let text = format.text(from: date) else { return }
        guard let copy = format.date(from: text) else {
            // A pattern may omit or join fields that reading needs.
            try require(!isKnown, "a written date can be read: \(format) \(text)")
            return
        }
        // A year of two digits is unambiguous only from 1970 to 2069.
        let isUnambiguous = format != .rfc850 || 0..<3_155_760_000 ~= date.timeIntervalSince1970
        guard isUnambiguous, isKnown else { return }
        try require(format.text(from: copy) == text, "writing is stable: \(format) \(text)")
    }

    private static let plan = try? MappingPlan(Leaf.self)

    /// Checks the default formats: a mapped date is that of the first format that matches.
    private static func checkMapping(_ text: String) throws(BrokenInvariant) {
        let document = Document.object([("day", .string(text))])
        var report = MappingReport()
        guard let plan, let leaf = try? plan.object(Leaf.self, from: document.root, report: &report)
        else { throw BrokenInvariant(description: "a value that does not fit ends nothing") }
        let isNull = leaf.day == nil && report.coercions[.blankToNull] == 1
        try require(
            (leaf.day == nil) == (report.issueCount == 1) || isNull, "a date, or an issue")
        if let expected = DateFormat.rfc3339.date(from: text) {
            try require(leaf.day == expected, "a date of RFC 3339 is mapped as one")
            try require(report.coercionCount == 0, "without being noted")
        }
    }
}
