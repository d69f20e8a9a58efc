// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of the string formats of the JSON Schema test suite, under strict conversions.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct FormatSuiteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let isValid: Bool
        var testDescription: String { text }
    }

    static func cases(_ file: String) -> [Case] {
        guard let data = try? SharedFiles.data("suites/dates/\(file).json"),
            let groups = try? Document(parsing: Array(data)).root
        else { return [] }
        return groups.elements.flatMap { group in
            group["tests"]?.elements.compactMap { test in
                guard let text = test["data"]?.string, let isValid = test["valid"]?.bool else {
                    return nil
                }
                return Case(text: text, isValid: isValid)
            } ?? []
        }
    }

    @Test func findsSuite() {
        let counts = ["date-time", "date", "time", "duration"].map {
            Self.cases("rfc3339/\($0)").count
        }
        #expect(counts == [27, 75, 41, 46])
    }

    @Test(arguments: cases("rfc3339/date-time")) func dateTimes(_ test: Case) throws {
        try expect(Date.self, test)
        #expect((DateFormat.rfc3339.date(from: test.text) != nil) == test.isValid)
        let declared = ObjectMapping(for: Holder<Date>.self) {
            attribute("value", to: \.value, using: DateFormat.rfc3339)
        }
        try expect(Date.self, test, declared)
    }

    @Test(arguments: cases("rfc3339/date")) func days(_ test: Case) throws {
        try expect(CalendarDate.self, test)
        if test.isValid { #expect(CalendarDate(test.text)?.description == test.text) }
    }

    @Test(arguments: cases("rfc3339/time")) func times(_ test: Case) throws {
        try expect(TimeOfDay.self, test)
        guard test.isValid, let time = TimeOfDay(test.text) else { return }
        #expect(TimeOfDay(time.description) == time)
    }

    /// The grammar allows a number of days beyond `UInt`, which has no value.
    @Test(arguments: cases("rfc3339/duration")) func durations(_ test: Case) throws {
        let isTooLong = test.text.count > 40
        try expect(
            CalendarDuration.self, Case(text: test.text, isValid: test.isValid && !isTooLong))
        guard test.isValid, let duration = CalendarDuration(test.text) else { return }
        #expect(CalendarDuration(duration.description) == duration)
    }

    @Test(arguments: cases("other-formats/uuid")) func uuids(_ test: Case) throws {
        try expect(UUID.self, test)
    }

    /// Relative references and letters outside of ASCII are accepted as URLs, and the contents of an
    /// authority are not validated.
    @Test(arguments: cases("other-formats/uri")) func urls(_ test: Case) throws {
        let isReference = ["//foo.bar/?baz=qux#quux", "/abc", "abc"].contains(test.text)
        let isUnseen = test.text == "http://[::ffff:01.2.3.4]"
        let isIRI = test.text == "https://example.org/foobar®.txt"
        try expect(
            URL.self,
            Case(text: test.text, isValid: test.isValid || isReference || isUnseen || isIRI))
    }

    /// Expects a value of the type for valid text, and an issue for invalid text.
    private func expect<Value: MappableValue>(
        _ type: Value.Type, _ test: Case, _ declared: ObjectMapping? = nil
    ) throws {
        var mapping = declared ?? ObjectMapping(for: Holder<Value>.self)
        mapping.conversion = .strict
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("value")
        builder.string(test.text)
        builder.end()
        var report = MappingReport()
        let found = try MappingCompiler().compile(mapping).object(
            Holder<Value>.self, from: builder.finish().root, report: &report)
        #expect((found.value != nil) == test.isValid)
        #expect(report.issues.count == (test.isValid ? 0 : 1))
        #expect(report.coercionCount == 0)
    }
}
