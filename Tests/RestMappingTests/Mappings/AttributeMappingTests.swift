// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct AttributeMappingTests {
    @Test(.parity("M001")) func hasSourceAndDestination() {
        let attribute = AttributeMapping("id", to: "userID")
        #expect(attribute.source == "id")
        #expect(attribute.destination == "userID")
    }

    @Test(.parity("M002")) func printsSourceBeforeDestination() throws {
        let text = String(reflecting: AttributeMapping("origin", to: "userID"))
        let source = try #require(text.firstRange(of: "origin"))
        let destination = try #require(text.firstRange(of: "userID"))
        #expect(source.upperBound <= destination.lowerBound)
    }

    @Test(.parity("M008")) func sharesAttributeAmongMappings() throws {
        let shared = AttributeMapping("town", to: "city")
        var first = ObjectMapping(table: Address.properties)
        first.add(shared)
        var second = ObjectMapping(table: Address.properties)
        for attribute in [shared, AttributeMapping("code", to: "zip")] { second.add(attribute) }
        second.policy = .strict
        var third = second
        third.add("zip", from: "code")
        #expect(first.attributes.map(\.destination) == ["city"])
        #expect(second.attributes.map(\.destination) == ["city", "zip"])
        #expect(third.attributes.count == 3)
        let json = #"{"town":"Oslo","code":"0150"}"#
        #expect(try map(Address.self, json, with: first) == [Address(city: "Oslo", zip: nil)])
        #expect(try map(Address.self, json, with: second) == [Address(city: "Oslo", zip: "0150")])
    }

    @Test(.parity("M356")) func equalsSameSourceAndDestination() {
        #expect(AttributeMapping("this", to: "that") == AttributeMapping("this", to: "that"))
    }

    @Test(.parity("M357")) func differsInSourceOrDestination() {
        #expect(AttributeMapping("this", to: "that") != AttributeMapping("this", to: "other"))
        #expect(AttributeMapping("this", to: "that") != AttributeMapping("these", to: "that"))
    }

    @Test(.parity("M358")) func copyKeepsTransform() throws {
        let transform = ValueTransform<String>("shout") { ($0.string ?? "").uppercased() }
        let original = AttributeMapping("town", to: "city", using: transform)
        let copy = original
        #expect(copy == original)
        var mapping = ObjectMapping(table: Address.properties)
        mapping.add(copy)
        #expect(
            try map(Address.self, #"{"town":"Oslo"}"#, with: mapping).map(\.city) == ["OSLO"])
        #expect(
            throws: MappingError.self, "the copy keeps the type of the values",
            performing: {
                var wrong = ObjectMapping(table: Address.properties)
                wrong.add(
                    AttributeMapping("a", to: "city", using: ValueTransform<Int>("n") { _ in 1 }))
                return try MappingCompiler().compile(wrong)
            })
    }
}
