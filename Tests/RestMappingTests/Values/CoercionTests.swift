// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of the coercions of each set, and of their counts.
@Suite struct CoercionTests {
    @Test(
        arguments: [
            (#""187""#, Coercion.textToNumber), (#"" 187 ""#, .textToNumber),
            ("true", .booleanToNumber),
        ])
    func countsCoercionsToNumbers(json: String, kind: Coercion) throws {
        try expectCoercion(kind, Int.self, json)
        try expectCoercion(kind, Double.self, json)
    }

    @Test func countsEachKindOfCoercion() throws {
        try expectCoercion(.numberToText, String.self, "1.50")
        try expectCoercion(.booleanToText, String.self, "true")
        try expectCoercion(.textToBoolean, Bool.self, #""yes""#)
        try expectCoercion(.numberToBoolean, Bool.self, "1")
        try expectCoercion(.textToNumber, Decimal.self, #""1.50""#)
        try expectCoercion(.secondsToDate, Date.self, "457574400")
        try expectCoercion(.textToDate, Date.self, #""08/09/2011""#)
        try expectCoercion(.textToDate, Date.self, #""2011-08-09""#)
        try expectCoercion(.textToDate, Date.self, #""2011-08-09T00:00Z""#)
        try expectCoercion(.singleToList, [String].self, #""Blue""#)
        try expectCoercion(.singleToList, Set<String>.self, #""Blue""#)
        try expectCoercion(.singleToList, DistinctArray<String>.self, #""Blue""#)
    }

    @Test func exactValuesNeedNoCoercion() throws {
        try expectExact(Int.self, "7.0")
        try expectExact(Double.self, "7")
        try expectExact(Decimal.self, "7.50")
        try expectExact(String.self, #""187""#)
        try expectExact(Bool.self, "false")
        try expectExact(Date.self, #""2011-08-09T00:00:00.5+02:00""#)
        try expectExact(URL.self, #""http://a.b""#)
        try expectExact([Int].self, "[]")
        try expectExact(Mood.self, #""grumpy""#)
    }

    @Test(.parity("M076")) func lenientConvertsAnyTextToNumber() throws {
        let json = "\"\(invalidText)\""
        #expect(try convert(json, .lenient) == 0)
        #expect(try convert(json, .lenient) == 0.0)
        #expect(try convert(json, .lenient) == false)
        try expectIssue(.malformedValue, Int.self, json, .standard)
        try expectIssue(.malformedValue, Double.self, json, .standard)
        try expectIssue(.malformedValue, Bool.self, json, .standard)
        try expectIssue(.malformedValue, Decimal.self, json, .lenient)
    }

    @Test(
        arguments: [
            (#""""#, 0), (#""abc""#, 0), (#""12abc""#, 12), (#""-12abc""#, -12), (#""1e3""#, 1000),
            (#""12.9abc""#, 12), (#""12.9""#, 12), (#""-""#, 0), (#""true""#, 1), (#""no""#, 0),
            (#""99999999999999999999""#, Int.max), (#""-99999999999999999999 x""#, Int.min),
            ("7.5", 7), ("-7.5", -7), ("1e30", Int.max), ("-1e400", Int.min),
        ])
    func lenientIntegersAreNearest(json: String, expected: Int) throws {
        #expect(try convert(json, .lenient) == expected)
        #expect(try convert(json, .standard) as Int? == (json == #""1e3""# ? 1000 : nil))
    }

    @Test func lenientDoublesAreLeadingNumber() throws {
        #expect(try convert(#""12.5kg""#, .lenient) == 12.5)
        #expect(try convert(#""1.2.3""#, .lenient) == 1.2)
        #expect(try convert(#""+.5x""#, .lenient) == 0.5)
        #expect(try convert(#""t""#, .lenient) == 1.0)
        #expect(try convert(#""1e400""#, .lenient) == Double.greatestFiniteMagnitude)
        #expect(try convert(#""-1e400""#, .lenient) == -Double.greatestFiniteMagnitude)
    }

    @Test(.parity("M056")) func lenientConvertsBlankDateToNil() throws {
        var report = MappingReport()
        #expect(try convert(#""""#, .lenient, &report) as Date? == nil)
        #expect(try convert(#""  ""#, .lenient, &report) as Date? == nil)
        #expect(report.issues.isEmpty)
        #expect(report.coercions == [.blankToNull: 2])
        try expectIssue(.malformedValue, Date.self, #""""#, .standard)
        try expectIssue(.malformedValue, URL.self, #""""#, .lenient)
    }

    @Test func failedConversionsAreNotCounted() throws {
        var report = MappingReport()
        #expect(try convert(#""abc""#, .standard, &report) as Int? == nil)
        #expect(try convert(#""abc""#, .standard, &report) as Bool? == nil)
        #expect(try convert(#""abc""#, .standard, &report) as Decimal? == nil)
        #expect(report.coercions.isEmpty)
        #expect(report.coercionCount == 0)
        #expect(report.issues.count == 3)
    }

    @Test func addsCountsOfSeveralRuns() throws {
        var report = MappingReport()
        _ = try convert(#"["1","2",true]"#, .standard, &report) as [Int]?
        _ = try convert(#"["1"]"#, .standard, &report) as [Int]?
        #expect(report.coercions == [.textToNumber: 3, .booleanToNumber: 1])
        var sum = MappingReport()
        sum.add(report)
        sum.add(report)
        #expect(sum.coercions == [.textToNumber: 6, .booleanToNumber: 2])
        #expect(sum.coercionCount == 8)
    }

    @Test func relatedObjectsInheritCoercions() throws {
        let json = #"{"id":1,"name":"a","friends":[{"id":2,"name":7}]}"#
        var strict = ObjectMapping(for: Person.self, policy: .lenient)
        strict.conversion = .strict
        var report = MappingReport()
        _ = try map(Person.self, json, with: strict, report: &report)
        #expect(report.issues.map(\.path) == ["friends[0].name"])
        #expect(report.droppedObjectCount == 1)
        var declared = ObjectMapping(for: Person.self, ["id", "name"])
        declared.conversion = .strict
        declared.add(
            RelationshipMapping("friends", to: "friends", mapping: ObjectMapping(for: Person.self)))
        #expect(try map(Person.self, json, with: declared).first?.friends.first?.name == "7")
    }

    @Test func setsContainEachKind() {
        for kind in Coercion.allCases {
            #expect(Coercions.lenient.allows(kind))
            #expect(!Coercions().allows(kind))
            #expect(Coercions(kind).allows(kind))
            #expect(!kind.description.isEmpty)
        }
        #expect(Coercions.standard.isStrictSubset(of: .lenient))
        #expect(Coercions.strict.isStrictSubset(of: .standard))
        #expect(Set(Coercion.allCases.map(\.description)).count == Coercion.allCases.count)
    }

    @Test func countsCoercionsInReport() throws {
        var report = MappingReport()
        _ = try map(Holder<[Int]>.self, #"{"value":["1","2",3]}"#, report: &report)
        #expect(report.coercionCount == 2)
        #expect(report.issues.isEmpty)
    }

    @Test(arguments: ["http://a.b/c d", "http://a.b/ü c", "http://a.b/x|y", " http://a.b/c "])
    func encodesURLOnlyIfAllowed(text: String) throws {
        try expectIssue(.malformedValue, URL.self, "\"\(text)\"", .standard)
        var report = MappingReport()
        let url: URL? = try convert("\"\(text)\"", [.standard, .unescapedToURL], &report)
        #expect(url?.host() == "a.b")
        #expect(url?.absoluteString.allSatisfy { $0.isASCII && $0 != " " && $0 != "|" } == true)
        #expect(report.coercions == [.unescapedToURL: 1])
        try expectIssue(.malformedValue, URL.self, "\" \"", [.standard, .unescapedToURL])
    }

    @Test func takesEmptyListForObjectOnlyIfAllowed() throws {
        try expectIssue(.typeMismatch, [String: Int].self, "[]", .standard)
        var report = MappingReport()
        let none: [String: Int]? = try convert("[]", [.standard, .emptyListToObject], &report)
        #expect(none == [:])
        #expect(report.coercions == [.emptyListToObject: 1])
        try expectIssue(
            .typeMismatch, [String: Int].self, "[1]", [.standard, .emptyListToObject])
        try expectIssue(.typeMismatch, City.self, "[]", .standard)
        // As `{}` would be: an object none of whose keys is present.
        var related = MappingReport()
        let city: City? = try convert("[]", [.standard, .emptyListToObject], &related)
        #expect(city == nil)
        #expect(related.issues.map(\.code) == [.unmappable])
        let options = ConversionOptions(coercions: [.standard, .emptyListToObject])
        let mapping = ObjectMapping(for: City.self, conversion: options)
        let root = try Document(parsing: "[]").root
        #expect(
            try MappingCompiler().compile(mapping).object(City.self, from: root) == City())
    }

    // MARK: Expectations

    /// Expects that a coercion happens under the standard set, is counted once, and is an issue
    /// under the strict set.
    private func expectCoercion<Value: MappableValue>(
        _ kind: Coercion, _ type: Value.Type, _ json: String
    ) throws {
        var report = MappingReport()
        #expect(try convert(json, .standard, &report) as Value? != nil, "\(kind)")
        #expect(report.coercions == [kind: 1], "\(kind)")
        #expect(report.issues.isEmpty, "\(kind)")
        try expectIssue(kind == .textToDate ? .malformedValue : .typeMismatch, type, json, .strict)
    }

    private func expectExact<Value: MappableValue>(_ type: Value.Type, _ json: String) throws {
        var report = MappingReport()
        #expect(try convert(json, .strict, &report) as Value? != nil)
        #expect(report.coercions.isEmpty)
        #expect(report.issues.isEmpty)
    }

    private func expectIssue<Value: MappableValue>(
        _ code: MappingIssue.Code, _ type: Value.Type, _ json: String, _ coercions: Coercions
    ) throws {
        var report = MappingReport()
        #expect(try convert(json, coercions, &report) as Value? == nil)
        #expect(report.issues.map(\.code) == [code])
        #expect(report.coercions.isEmpty)
    }

    private func convert<Value: MappableValue>(
        _ json: String, _ coercions: Coercions
    ) throws -> Value? {
        var report = MappingReport()
        return try convert(json, coercions, &report)
    }

    private func convert<Value: MappableValue>(
        _ json: String, _ coercions: Coercions, _ report: inout MappingReport
    ) throws -> Value? {
        var mapping = ObjectMapping(for: Holder<Value>.self)
        mapping.conversion.coercions = coercions
        return try map(
            Holder<Value>.self, #"{"value":\#(json)}"#, with: mapping, report: &report
        ).first?.value
    }
}
