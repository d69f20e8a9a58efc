// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import RestTesting
import TestSupport
import Testing

@Suite struct MappingTestTests {
    private let addressMapping = ObjectMapping(for: Address.self)
    private let test: MappingTest<User>

    init() throws {
        var mapping = ObjectMapping(for: User.self, ["id", "name"])
        mapping.add(
            RelationshipMapping("address", to: "address", mapping: ObjectMapping(for: Address.self))
        )
        mapping.add(
            RelationshipMapping(.whole, to: "place", mapping: ObjectMapping(for: Place.self)))
        test = try MappingTest(mapping, on: Fixture(relativeTo: #filePath).document("user"))
    }

    /// Returns the error of an expectation that is not met.
    private func error(_ expectation: MappingExpectation) -> MappingTestError? {
        #expect(throws: MappingTestError.self) { try test.evaluate(expectation) }
    }

    @Test(.parity("M341")) func meetsExpectationOfMappedValue() {
        #expect(test.meets(MappingExpectation("name", to: "name", value: "Blake Watters")))
        #expect(test.object.name == "Blake Watters")
    }

    @Test(.parity("M342")) func doesNotMeetExpectationOfAnotherValue() {
        #expect(!test.meets(MappingExpectation("name", to: "name", value: "Invalid")))
    }

    @Test(.parity("M343")) func meetsExpectationThatClosureAccepts() {
        let expectation = MappingExpectation("name", to: "name") { (name: String) in
            name.hasPrefix("Blake")
        }
        #expect(test.meets(expectation))
    }

    @Test(.parity("M344")) func doesNotMeetExpectationThatClosureRejects() {
        let expectation = MappingExpectation("name", to: "name") { (_: String) in false }
        #expect(!test.meets(expectation))
        let otherType = MappingExpectation("name", to: "name") { (_: Int) in true }
        #expect(!test.meets(otherType))
    }

    @Test(.parity("M345")) func acceptsWholeRepresentationAsSource() {
        let place = Place(latitude: 12345, longitude: 56789)
        #expect(test.meets(MappingExpectation(.whole, to: "place", value: place)))
        #expect(!test.meets(MappingExpectation(.whole, to: "place", value: Place())))
    }

    @Test(.parity("M346")) func passesRelatedObjectToClosure() {
        let expectation = MappingExpectation("address", to: "address") { (address: Address) in
            address.id == 1234 && address.city == "Carrboro" && address.state == "North Carolina"
                && address.country == "USA"
        }
        #expect(test.meets(expectation))
        #expect(test.meets(MappingExpectation("city", to: "city", value: "Carrboro")))
    }

    @Test(.parity("M347")) func namesSourceAndDestinationWithoutAssignment() {
        let error = error(MappingExpectation("nonexistant", to: "name"))
        #expect(error?.code == .unsatisfied)
        #expect(error?.message.contains("'nonexistant'") == true)
        #expect(error?.message.contains("'name'") == true)
    }

    @Test(.parity("M348")) func describesUnexpectedValueWithItsType() {
        let error = error(MappingExpectation("name", to: "name", value: "Invalid"))
        #expect(error?.code == .valueInequality)
        #expect(error?.message.contains("String 'Blake Watters'") == true)
        #expect(error?.message.contains("expected String 'Invalid'") == true)
        let other = self.error(MappingExpectation("name", to: "name", value: 7 as Int?))
        #expect(other?.message.contains("expected Int '7'") == true)
        let none = self.error(MappingExpectation("name", to: "name", value: Int?.none))
        #expect(none?.message.hasSuffix("expected nil") == true)
    }

    @Test(.parity("M349")) func describesRejectedValueWithItsType() {
        let error = error(MappingExpectation("id", to: "id") { (_: Int) in false })
        #expect(error?.code == .evaluation)
        #expect(error?.message.contains("Int '31337'") == true)
    }

    @Test(.parity("M350")) func namesUnexpectedMapping() {
        #expect(
            test.meets(
                MappingExpectation("address", to: "address", mapping: .object(addressMapping))))
        let error = error(
            MappingExpectation("address", to: "address", mapping: .dynamic(DynamicMapping())))
        #expect(error?.code == .mappingMismatch)
        #expect(error?.message.contains("a mapping of Address") == true)
    }

    @Test(.parity("M351")) func verifyThrowsFirstFailure() throws {
        let met = MappingExpectation("name", to: "name")
        try test.verify([met, met])
        let error = #expect(throws: MappingTestError.self) {
            try test.verify([met, MappingExpectation("name", to: "name", value: "Invalid")])
        }
        let expected =
            "valueInequality: mapped 'name' to 'name' as String 'Blake Watters', expected String 'Invalid'"
        #expect(error?.description == expected)
    }

    @Test func countsUnchangedValuesOfTarget() throws {
        let mapping = ObjectMapping(for: User.self, ["name"])
        let document: Document = ["user": ["name": "Blake"]]
        let test = try MappingTest(
            mapping, on: document, at: "user", into: User(id: 7, name: "Blake"))
        #expect(test.object.id == 7)
        #expect(test.meets(MappingExpectation("name", to: "name", value: "Blake")))
        let error = #expect(throws: MappingTestError.self) {
            try MappingTest<User>(mapping, on: document, at: "nobody")
        }
        #expect(error?.code == .nothingToMap)
    }
}
#endif
