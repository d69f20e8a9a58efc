// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestMappingTests {
    private let epoch = Date(timeIntervalSince1970: 0)

    @Test(.parity("M016")) func defaultMappingRoundTrips() throws {
        let person = Person(id: 123, name: "Blake Watters")
        let mapping = RequestMapping(for: Person.self, ["name", "id"])
        let document = try RequestPlan(mapping).document(of: person)
        #expect(document == ["name": "Blake Watters", "id": 123])
        let copy = try map(
            Person.self,
            String(decoding: RequestPlan(Person.self).bytes(of: person), as: UTF8.self))
        #expect(copy.first?.name == "Blake Watters")
        #expect(copy.first?.id == 123)
    }

    @Test(.parity("M017")) func writesListOfObjects() throws {
        let people = [Person(id: 1, name: "Blake Watters"), Person(id: 2, name: "B")]
        let plan = try RequestPlan(RequestMapping(for: Person.self, ["name"]))
        #expect(try plan.document(of: people[0]) == ["name": "Blake Watters"])
        #expect(try plan.document(ofAll: people) == [["name": "Blake Watters"], ["name": "B"]])
        #expect(try plan.document(ofAll: [Person]()) == [])
    }

    @Test(.parity("M316")) func writesMembersInOrderOfMapping() throws {
        let mapping = RequestMapping(
            for: Citizen.self, ["name": "key1-form-name", "job": "key2-form-name"])
        let text = try json(Citizen(name: "value1", job: "value2"), by: mapping)
        #expect(text == #"{"key1-form-name":"value1","key2-form-name":"value2"}"#)
    }

    @Test(.parity("M333", "M317")) func writesNilAttributesAsNull() throws {
        let mapping = RequestMapping(for: Citizen.self, ["name", "job"])
        let text = try json(Citizen(name: "Blake Watters"), by: mapping)
        #expect(text == #"{"name":"Blake Watters","job":null}"#)
        let only = RequestMapping(for: Citizen.self, ["name": "key1-form-name"])
        #expect(try json(Citizen(), by: only) == #"{"key1-form-name":null}"#)
    }

    @Test(.parity("M318")) func writesNullUnderRootKey() throws {
        let only = RequestMapping(for: Citizen.self, ["name": "key1-form-name"])
        let text = try json(Citizen(), by: only, rootKey: "root")
        #expect(text == #"{"root":{"key1-form-name":null}}"#)
    }

    @Test(.parity("M334")) func omitsNilAttributes() throws {
        var mapping = RequestMapping(for: Citizen.self, ["job", "name"])
        mapping.omitsNil = true
        #expect(try json(Citizen(name: "B"), by: mapping) == #"{"name":"B"}"#)
        #expect(try json(Citizen(), by: mapping) == "{}")
        #expect(try json(Citizen(), by: mapping, rootKey: "root") == #"{"root":{}}"#)
    }

    @Test(.parity("M320")) func usesRootKeyLiterally() throws {
        let mapping = RequestMapping(for: Citizen.self, ["name", "job"])
        let citizen = Citizen(name: "a", job: "b")
        let text = try json(citizen, by: mapping, rootKey: "stuff")
        #expect(text == #"{"stuff":{"name":"a","job":"b"}}"#)
        let dotted = try json(citizen, by: mapping, rootKey: #"a.b"c"#)
        #expect(dotted == #"{"a.b\"c":{"name":"a","job":"b"}}"#)
    }

    @Test(.parity("M325")) func sharesObjectOfCommonPrefix() throws {
        let mapping = RequestMapping(for: Citizen.self, ["name": "user.name", "job": "user.job"])
        let text = try json(Citizen(name: "a", job: "b"), by: mapping)
        #expect(text == #"{"user":{"name":"a","job":"b"}}"#)
    }

    @Test(.parity("M326")) func sharesObjectsOfDeeperPrefixes() throws {
        let mapping = RequestMapping(
            for: Citizen.self,
            [
                "name": "user.anotherKeyPath.name", "isRegistered": "registered",
                "job": "user.anotherKeyPath.another.job",
            ])
        let text = try json(Citizen(name: "a", job: "b"), by: mapping)
        let expected =
            #"{"user":{"anotherKeyPath":{"name":"a","another":{"job":"b"}}},"registered":false}"#
        #expect(text == expected)
    }

    @Test func omitsEmptyNestedObjects() throws {
        var mapping = RequestMapping(for: Citizen.self, ["name": "a.b.name", "job": "job"])
        mapping.omitsNil = true
        #expect(try json(Citizen(job: "x"), by: mapping) == #"{"job":"x"}"#)
    }

    @Test(.parity("M319")) func nestsRelatedObject() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            relationship(
                \.home, to: "relationship1-form-name",
                mapping: RequestMapping(for: City.self, ["founded": "date"]))
        }
        let text = try json(Citizen(home: City(name: "x", founded: epoch)), by: mapping)
        #expect(text == #"{"relationship1-form-name":{"date":"1970-01-01T00:00:00Z"}}"#)
        #expect(try json(Citizen(), by: mapping) == "{}")
    }

    @Test(.parity("M321")) func writesSetOfRelatedObjectsAsList() throws {
        let text = try json(ofValue: Set([City(name: "Oslo", founded: epoch)]))
        #expect(text == #"{"value":[{"name":"Oslo","founded":"1970-01-01T00:00:00Z"}]}"#)
    }

    @Test(.parity("M340")) func nestsRelatedObjectsDeeper() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            relationship(
                \.cities, to: "cities.eastCoast",
                mapping: RequestMapping(for: City.self, ["name"]))
        }
        let citizen = Citizen(cities: [City(name: "New York City"), City(name: "Boston")])
        let text = try json(citizen, by: mapping)
        #expect(text == #"{"cities":{"eastCoast":[{"name":"New York City"},{"name":"Boston"}]}}"#)
    }

    @Test(.parity("M315")) func collectsValuesThroughList() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            attribute("cities.name", to: "relationship1-form-name.r1k1")
            attribute("home.name", to: "relationship2-form-name.subKey1")
        }
        let citizen = Citizen(
            home: City(name: "subValue1"),
            cities: [City(name: "relationship1Value1"), City(), City(name: "relationship1Value2")])
        let text = try json(citizen, by: mapping)
        let expected = """
            {"relationship1-form-name":{"r1k1":["relationship1Value1",null,"relationship1Value2"]},\
            "relationship2-form-name":{"subKey1":"subValue1"}}
            """
        #expect(text == expected)
        let empty =
            #"{"relationship1-form-name":{"r1k1":[]},"relationship2-form-name":{"subKey1":null}}"#
        #expect(try json(Citizen(), by: mapping) == empty)
    }

    @Test(.parity("M210")) func replacesPlaceholderByPropertyValue() throws {
        let mapping = RequestMapping(
            for: Citizen.self, ["name": "{name}.name", "job": "{name}.job"])
        let text = try json(Citizen(name: "blake", job: "Hacker"), by: mapping)
        #expect(text == #"{"blake":{"name":"blake","job":"Hacker"}}"#)
    }

    @Test(.parity("M211")) func replacesPlaceholderInParentheses() throws {
        let mapping = RequestMapping(
            for: Citizen.self, ["name": "(name).name", "job": "(name).job"])
        let text = try json(Citizen(name: "blake", job: "Hacker"), by: mapping)
        #expect(text == #"{"blake":{"name":"blake","job":"Hacker"}}"#)
    }

    @Test func usesPlaceholderValueAsOneKey() throws {
        let mapping = RequestMapping(
            for: Person.self, ["name": "{name}.deep.name", "id": "by id.{id}"])
        let text = try json(Person(id: 7, name: "b.l@x\"y"), by: mapping)
        #expect(text == #"{"b.l@x\"y":{"deep":{"name":"b.l@x\"y"}},"by id":{"7":7}}"#)
    }

    @Test func throwsForPlaceholderWithoutValue() throws {
        let plan = try RequestPlan(RequestMapping(for: Citizen.self, ["job": "{name}.job"]))
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: Citizen(job: "x")) }
        #expect(error?.issue?.code == .nullValue)
        #expect(error?.path == "{name}")
        #expect(error?.issue?.property == "name")
    }

    @Test func relatedObjectsInheritOptions() throws {
        var mapping = RequestMapping(for: Citizen.self, ["home"])
        mapping.omitsNil = true
        mapping.dates = .monthDayYear
        let text = try json(Citizen(home: City(founded: epoch)), by: mapping)
        #expect(text == #"{"home":{"founded":"01/01/1970"}}"#)
    }

    @Test func writesTypeThatRelatesToItself() throws {
        let chain = Companion(name: "a", friend: Companion(name: "b", weight: 2))
        let plan = try RequestPlan(Companion.self)
        let text = String(decoding: try plan.bytes(of: chain), as: UTF8.self)
        #expect(text == #"{"name":"a","weight":1.0,"friend":{"name":"b","weight":2.0}}"#)
    }

    // MARK: Forms

    /// Returns the form of an object's document.
    private func form(_ citizen: Citizen, by mapping: RequestMapping) throws -> String {
        try FormFormat().text(of: RequestPlan(mapping).document(of: citizen))
    }

    @Test(.parity("M309")) func usesDestinationsAsFormNames() throws {
        let mapping = RequestMapping(
            for: Citizen.self, ["name": "key1-form-name", "job": "key2-form-name"])
        let text = try form(Citizen(name: "value1", job: "value2"), by: mapping)
        #expect(text == "key1-form-name=value1&key2-form-name=value2")
    }

    @Test(.parity("M311")) func sortsFormNames() throws {
        var mapping = RequestMapping(
            for: Citizen.self, ["name": "key1-form-name", "birthday": "date-form-name"])
        mapping.dates = .monthDayYear
        let text = try form(Citizen(name: "value1", birthday: epoch), by: mapping)
        #expect(text == "date-form-name=01%2F01%2F1970&key1-form-name=value1")
    }

    @Test(.parity("M315")) func writesCollectedValuesAsFormList() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            attribute("cities.name", to: "relationship1-form-name.r1k1")
            attribute("home.name", to: "relationship2-form-name.subKey1")
        }
        let citizen = Citizen(
            home: City(name: "subValue1"),
            cities: [City(name: "relationship1Value1"), City(name: "relationship1Value2")])
        let expected = [
            "relationship1-form-name[r1k1][]=relationship1Value1",
            "relationship1-form-name[r1k1][]=relationship1Value2",
            "relationship2-form-name[subKey1]=subValue1",
        ]
        #expect(try form(citizen, by: mapping) == expected.joined(separator: "&"))
    }
}
