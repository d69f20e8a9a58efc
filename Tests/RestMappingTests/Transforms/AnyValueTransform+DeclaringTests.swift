// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of transforms that are declared for an attribute or for all attributes of a mapping.
@Suite struct AnyValueTransformDeclaringTests {
    private let testing = AnyValueTransform("testing", from: URL.self, to: URL.self) { url in
        url.appending(path: "test")
    }

    @Test(.parity("M059")) func transformsAttributeOfSameType() throws {
        let text = AnyValueTransform("testing", from: String.self, to: String.self) { $0 + "/test" }
        let ofText = ObjectMapping(for: Holder<String>.self) {
            attribute("value", to: \.value, using: text)
        }
        let json = #"{"value":"http://restkit.org"}"#
        #expect(
            try map(Holder<String>.self, json, with: ofText).first?.value
                == "http://restkit.org/test")
        let ofURL = AnyValueTransform("testing", from: String.self, to: URL.self) {
            URL(string: $0)?.appending(path: "test")
        }
        let mapping = ObjectMapping(for: Holder<URL>.self) {
            attribute("value", to: \.value, using: ofURL)
        }
        #expect(
            try map(Holder<URL>.self, json, with: mapping).first?.value
                == URL(string: "http://restkit.org/test"))
        let url = URL(string: "http://restkit.org")
        #expect(try testing.transform(url, as: URL.self) == url?.appending(path: "test"))
    }

    @Test func replacesConversionOfAttribute() throws {
        let mapping = ObjectMapping(for: Holder<Date>.self) {
            attribute("value", to: \.value, using: DateFormat.milliseconds)
        }
        var report = MappingReport()
        let json = #"[{"value":1500},{"value":"1500"},{"value":"1970-01-01"},{"value":null}]"#
        let found = try map(Holder<Date>.self, json, with: mapping, report: &report)
        #expect(found.map { $0.value?.timeIntervalSince1970 } == [1.5, 1.5, nil, nil])
        #expect(report.issues.map(\.path) == ["[2].value"])
        #expect(report.issues.map(\.code) == [.transformFailed])
        #expect(report.issues.first?.expected.contains("milliseconds since 1970") == true)
    }

    @Test func createsTypedTransform() throws {
        let mapping = ObjectMapping(for: Holder<Decimal>.self) {
            attribute("value", to: \.value, using: ValueTransform(AnyValueTransform.decimalNumber))
        }
        let json = #"[{"value":0.1},{"value":12345678901234567890.5},{"value":7}]"#
        #expect(
            try map(Holder<Decimal>.self, json, with: mapping).map(\.value) == [
                Decimal(string: "0.1"), Decimal(string: "12345678901234567890.5"), 7,
            ])
    }

    @Test func transformOfMappingLeavesOtherValuesToTypes() throws {
        let shouting = AnyValueTransform("shouting", from: String.self, to: String.self) {
            $0.uppercased()
        }
        var mapping = ObjectMapping(for: Person.self)
        mapping.conversion.transform = shouting
        let json = #"""
            {"id":1,"name":"ann","mood":"grumpy","tags":["x"],"born":"1970-01-01T00:00:00Z",
            "address":{"city":"york","zip":null},"friends":[{"id":"2","name":"bo"}]}
            """#
        let person = try #require(try map(Person.self, json, with: mapping).first)
        #expect(person.name == "ANN")
        #expect(person.mood == .grumpy)
        #expect(person.tags == ["x"])
        #expect(person.born == Date(timeIntervalSince1970: 0))
        #expect(person.address == Address(city: "YORK", zip: nil))
        #expect(person.friends.map(\.id) == [2])
        #expect(person.friends.map(\.name) == ["BO"])
    }

    @Test func transformOfAttributeTakesPrecedence() throws {
        var mapping = ObjectMapping(for: Holder<String>.self) {
            attribute(
                "value", to: \.value,
                using: AnyValueTransform("own", from: String.self, to: String.self) { _ in "own" })
        }
        mapping.conversion.transform = AnyValueTransform("all", from: String.self, to: String.self)
        {
            _ in "all"
        }
        #expect(try map(Holder<String>.self, #"{"value":""}"#, with: mapping).first?.value == "own")
    }

    @Test func recordsIssueWhenTransformOfMappingFails() throws {
        var mapping = ObjectMapping(for: Holder<Int>.self)
        mapping.conversion.transform = AnyValueTransform.standard()
        var report = MappingReport()
        let json = #"[{"value":"7"},{"value":"s3cret"},{"value":true},{"value":{}}]"#
        let found = try map(Holder<Int>.self, json, with: mapping, report: &report)
        #expect(found.map(\.value) == [7, nil, 1, nil])
        #expect(report.issues.map(\.code) == [.transformFailed, .typeMismatch])
        #expect(!report.issues.map(\.description).joined().contains("s3cret"))
    }

    /// The default chain agrees with the typed conversion.
    @Test(arguments: [
        #""187""#, #""131.3""#, "187", "131.3", "true", "0", "1", #""yes""#, #""abc""#, #""""#,
        "null", "9007199254740993", "18446744073709551615", "1e400",
    ])
    func chainAgreesWithTypes(json: String) throws {
        try expectAgreement(Int.self, json)
        try expectAgreement(Int8.self, json)
        try expectAgreement(Double.self, json)
        if json != "1e400" { try expectAgreement(Bool.self, json) }
        try expectAgreement(Decimal.self, json)
    }

    @Test(arguments: [
        #""2011-08-09T00:00Z""#, #""08/09/2011""#, "457574400", "0.5", "null",
        #""Sun Nov  6 08:49:37 1994""#, #""2012-03-01""#, #""invalidText""#, "[1]", "true",
    ])
    func chainAgreesWithTypesOnDates(json: String) throws {
        if json != "true" { try expectAgreement(Date.self, json) }
        try expectAgreement([Int].self, json)
    }

    @Test(arguments: ["[1,2,3]", "[3,1,3]", "[]", #"["a"]"#, "{}", "7", "null"])
    func chainAgreesWithTypesOnCollections(json: String) throws {
        try expectAgreement([Int].self, json)
        try expectAgreement(Set<Int>.self, json)
        try expectAgreement(DistinctArray<Int>.self, json)
    }

    private func expectAgreement<Value: MappableValue & Equatable>(
        _ type: Value.Type, _ json: String
    ) throws {
        var chained = ObjectMapping(for: Holder<Value>.self)
        chained.conversion.transform = AnyValueTransform.standard()
        let text = #"{"value":\#(json)}"#
        #expect(
            try map(Holder<Value>.self, text, with: chained).first?.value
                == map(Holder<Value>.self, text).first?.value, "\(type) of \(json)")
    }
}
