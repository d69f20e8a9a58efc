// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Text of one megabyte in place of a date or a number.
///
/// A reader with quadratic complexity would take 10¹² steps, and these tests would not end.
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
    func isNotDate(_ text: Int) throws {
        #expect(Self.formats.count == 31)
        // A long number of seconds is a number, although not a valid date.
        for format in Self.formats where format.date(from: Self.texts[text]) != nil {
            #expect(format == .seconds || format == .milliseconds)
        }
    }

    @Test(.threat("T59"), arguments: texts.indices)
    func isNotValueOfAnyType(_ text: Int) throws {
        // Created once, because a debug build needs longer for it than for all conversions.
        let document = Document.object([("value", .string(Self.texts[text]))])
        try expectIssue(Date.self, document)
        try expectIssue(Int.self, document)
        try expectIssue(Double.self, document)
        try expectIssue(Decimal.self, document)
        try expectIssue(UUID.self, document)
        try expectIssue(Bool.self, document)
        try expectIssue(CalendarDate.self, document)
        try expectIssue(CalendarDuration.self, document)
        try expectIssue(TimeOfDay.self, document)
    }

    private func expectIssue<Value: MappableValue>(
        _ type: Value.Type, _ document: Document
    ) throws {
        var report = MappingReport()
        let holder = try MappingPlan(Holder<Value>.self)
            .object(Holder<Value>.self, from: document.root, report: &report)
        #expect(holder.value == nil)
        #expect(report.issues.map(\.path) == ["value"])
        #expect(report.issues.allSatisfy { $0.description.utf8.count < 400 })
    }

    /// A lossy conversion scans the text a fixed number of times.
    @Test(
        .threat("T59"),
        arguments: zip(
            texts.indices,
            [.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, 1.0 / 9, 2024, 0, 0, 1, 0]))
    func startsWithNumber(_ text: Int, _ number: Double) throws {
        let document = Document.object([("value", .string(Self.texts[text]))])
        #expect(try lenient(Double.self, document) == number)
        #expect(try lenient(Int.self, document) == (text < 2 ? .max : Int(number)))
        #expect(try lenient(Bool.self, document) == (number != 0))
    }

    private func lenient<Value: MappableValue>(
        _ type: Value.Type, _ document: Document
    ) throws -> Value? {
        var mapping = ObjectMapping(for: Holder<Value>.self)
        mapping.conversion = .lenient
        return try MappingCompiler().compile(mapping)
            .object(Holder<Value>.self, from: document.root).value
    }
}
