// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct MappableValueTests {
    private enum Status: String, MappableValue, UnknownValue {
        case open
        case closed
        case other
        static let unknown = other
    }

    @Test func convertsNullToNil() throws {
        try expectNullIsNil(Data.self)
        try expectNullIsNil(Decimal.self)
        try expectNullIsNil(Date.self)
        try expectNullIsNil(URL.self)
        try expectNullIsNil(UUID.self)
        try expectNullIsNil(String.self)
        try expectNullIsNil(Int.self)
        try expectNullIsNil(Double.self)
        try expectNullIsNil(Bool.self)
        try expectNullIsNil(Mood.self)
        try expectNullIsNil([String].self)
        try expectNullIsNil(Set<String>.self)
        try expectNullIsNil([String: Int].self)
        try expectNullIsNil(Address.self)
    }

    @Test func convertsRawValuesOfEnumeration() throws {
        #expect(try converted(#""cheerful""#) == Mood.cheerful)
        #expect(try conversionIssue(of: Mood.self, #""sleepy""#) == .malformedValue)
    }

    // MARK: Unknown raw values

    @Test func mapsUnknownRawValueToFallbackCase() throws {
        var report = MappingReport()
        let found = try map(
            Holder<[Status]>.self, #"{"value":["open","new"]}"#, report: &report)
        #expect(found.first?.value == [.open, .other])
        #expect(report.coercions == [.unknownToFallback: 1])
        #expect(report.issues.isEmpty)
    }

    @Test func fallbackCaseDoesNotReplaceOtherKinds() throws {
        var report = MappingReport()
        let found = try map(Holder<Status>.self, #"{"value":{}}"#, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.typeMismatch])
    }

    @Test func appliesPolicyToUnknownRawValue() throws {
        var report = MappingReport()
        let json = #"{"value":"sleepy"}"#
        #expect(try map(Holder<Mood>.self, json, report: &report).map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.malformedValue])
        #expect(throws: MappingError.self) {
            try map(
                Holder<Mood>.self, json,
                with: ObjectMapping(for: Holder<Mood>.self, policy: .strict))
        }
        var attribute = AttributeMapping("value", to: "value")
        attribute.policy = .strict
        var mapping = ObjectMapping(table: Holder<Mood>.properties)
        mapping.add(attribute)
        #expect(throws: MappingError.self) { try map(Holder<Mood>.self, json, with: mapping) }
        attribute.policy = .standard
        mapping = ObjectMapping(table: Holder<Mood>.properties, policy: .strict)
        mapping.add(attribute)
        #expect(try map(Holder<Mood>.self, json, with: mapping).map(\.value) == [nil])
    }

    @Test func appliesPolicyToUnknownElements() throws {
        let json = #"{"value":["cheerful","sleepy",null,"grumpy"]}"#
        var report = MappingReport()
        #expect(try map(Holder<[Mood]>.self, json, report: &report).map(\.value) == [nil])
        #expect(report.issues.map(\.path) == ["value[1]"])
        let lenient = ObjectMapping(
            for: Holder<[Mood]>.self, policy: IssuePolicy(invalidElement: .drop))
        report = MappingReport()
        let found = try map(Holder<[Mood]>.self, json, with: lenient, report: &report)
        #expect(found.first?.value == [.cheerful, .grumpy])
        #expect(report.issues.map(\.path) == ["value[1]", "value[2]"])
    }

    private func expectNullIsNil<Value: MappableValue>(_ type: Value.Type) throws {
        var report = MappingReport()
        let found = try map(Holder<Value>.self, #"{"value":null}"#, report: &report)
        #expect(found.count == 1)
        #expect(found.first?.value == nil, "\(type)")
        #expect(report.issues.isEmpty, "\(type)")
    }
}
