// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Text of a megabyte where a date or a number should be.
///
/// A reader that went over it again for each of its characters would take 10¹² steps, and these tests
/// would not end.
@Suite(.tags(.slow)) struct LongTextTests {
    private static let count = 1 << 20

    static let texts = [
        String(repeating: "1", count: count), String(repeating: "1", count: count) + "x",
        String(repeating: " ", count: count) + "x",
        "0." + String(repeating: "1", count: count) + "x",
        "2024-05-01T12:00:00." + String(repeating: "1", count: count) + "?",
        String(repeating: "/Date(", count: count / 6), String(repeating: "Sun, ", count: count / 5),
        "1e" + String(repeating: "1", count: count) + "x", String(repeating: "-", count: count),
    ]

    static let formats: [DateFormat] =
        [
            .rfc3339, .iso8601, .iso8601WithFraction, .timestamp, .monthDayYear, .yearMonthDay,
            .rfc1123, .rfc850, .asctime, .seconds, .milliseconds, .dotNet(),
        ]
        + [
            "y", "yyyy", "yy", "M", "MMMM", "d", "H", "h a", "m", "s", "SSSSSSSSS", "EEEE", "zzzz",
            "Z", "X", " d  d ", "E, E, E, E", "yyyyMMddHHmmssSSS", "''''''",
        ].compactMap { try? DateFormat($0) }

    @Test(.threat("T59"), arguments: texts.indices)
    func isNoDate(_ text: Int) throws {
        #expect(Self.formats.count == 31)
        // A long number of seconds is a number, though no moment.
        for format in Self.formats where format.date(from: Self.texts[text]) != nil {
            #expect(format == .seconds || format == .milliseconds)
        }
    }

    @Test(.threat("T59"), arguments: texts.indices)
    func isNoValueOfAnyType(_ text: Int) throws {
        let text = Self.texts[text]
        try expectIssue(Date.self, text)
        try expectIssue(Int.self, text)
        try expectIssue(Double.self, text)
        try expectIssue(Decimal.self, text)
        try expectIssue(UUID.self, text)
        try expectIssue(Bool.self, text)
        try expectIssue(CalendarDate.self, text)
        try expectIssue(CalendarDuration.self, text)
        try expectIssue(TimeOfDay.self, text)
    }

    private func expectIssue<Value: MappableValue>(_ type: Value.Type, _ text: String) throws {
        var report = MappingReport()
        let document = Document.object([("value", .string(text))])
        let holder = try MappingPlan(Holder<Value>.self)
            .object(Holder<Value>.self, from: document.root, report: &report)
        #expect(holder.value == nil)
        #expect(report.issues.map(\.path) == ["value"])
        #expect(report.issues.allSatisfy { $0.description.utf8.count < 400 })
    }
}
