// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingDefinitionTests {
    @Test(.parity("M001")) func anAttributeKnowsItsSourceAndDestination() {
        let attribute = AttributeMapping("id", to: "userID")
        #expect(attribute.source == "id")
        #expect(attribute.destination == "userID")
    }

    @Test(.parity("M002")) func anAttributePrintsItsSourceBeforeItsDestination() throws {
        let text = String(reflecting: AttributeMapping("origin", to: "userID"))
        let source = try #require(text.firstRange(of: "origin"))
        let destination = try #require(text.firstRange(of: "userID"))
        #expect(source.upperBound <= destination.lowerBound)
    }

    @Test(.parity("M008")) func oneAttributeServesSeveralMappings() throws {
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
}
