// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestMappingInverseTests {
    @Test(.parity("M306")) func writesPropertiesToTheirSources() throws {
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("first.name", to: \.name)
            relationship(
                "town", to: \.home, mapping: ObjectMapping(for: City.self, ["label": "name"]))
        }
        let inverse = mapping.inverse()
        #expect(inverse.attributes.map(\.source) == ["name"])
        #expect(inverse.attributes.map(\.destination) == ["first.name"])
        #expect(inverse.relationships.map(\.destination) == ["town"])
        let text = try json(Citizen(name: "Blake", home: City(name: "Oslo")), by: inverse)
        #expect(text == #"{"first":{"name":"Blake"},"town":{"label":"Oslo"}}"#)
    }

    @Test(.parity("M307")) func invertsRecursiveMapping() throws {
        let inverse = ObjectMapping(for: Companion.self).inverse()
        let children = Companion(name: "parent", friend: Companion(name: "child"))
        let text = try json(children, by: inverse)
        #expect(text == #"{"name":"parent","weight":1.0,"friend":{"name":"child","weight":1.0}}"#)
    }

    @Test(.parity("M308")) func invertsKeyOfRepresentationToKey() throws {
        let mapping = ObjectMapping(for: Citizen.self) { keyOfRepresentation(to: \.name) }
        #expect(try json(Citizen(name: "Blake"), by: mapping.inverse()) == #"{"Blake":{}}"#)
    }

    @Test func writesWholeRepresentationInPlaceOfObject() throws {
        let city = ObjectMapping(for: City.self, ["": "name"])
        let mapping = ObjectMapping(for: Citizen.self) {
            relationship("towns", to: \.cities, mapping: city)
            relationship("home", to: \.home, mapping: city)
        }
        let text = #"{"towns":["a","b"],"home":"c"}"#
        let citizen = try #require(try map(Citizen.self, text, with: mapping).first)
        #expect(citizen.cities.map(\.name) == ["a", "b"])
        #expect(try json(citizen, by: mapping.inverse()) == text)
        #expect(try json(City(name: "d"), by: city.inverse()) == #""d""#)
        let plan = try RequestPlan(city.inverse())
        let list = try plan.bytes(ofAll: [City(name: "a"), City()])
        #expect(String(decoding: list, as: UTF8.self) == #"["a",null]"#)
    }

    @Test func prefersKeysToWholeRepresentation() throws {
        let city = ObjectMapping(for: City.self, ["": "name", "founded": "founded"])
        let text = try json(City(founded: Date(timeIntervalSince1970: 0)), by: city.inverse())
        #expect(text == #"{"founded":"1970-01-01T00:00:00Z"}"#)
    }

    @Test func writesListOfMembersAsOneObject() throws {
        var city = ObjectMapping(for: City.self) {
            keyOfRepresentation(to: \.name)
            attribute("{name}.since", to: \.founded)
        }
        city.forcesCollection = true
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("name", to: \.name)
            relationship("towns", to: \.cities, mapping: city)
            relationship("home", to: \.home, mapping: city)
        }
        let text = """
            {"name":"x","towns":{"a":{"since":"1970-01-01T00:00:00Z"},"b":{"since":null}},\
            "home":{"c":{"since":null}}}
            """
        let citizen = try #require(
            try map(
                Citizen.self, text.replacing(#","home":{"c":{"since":null}}"#, with: ""),
                with: mapping
            )
            .first)
        #expect(citizen.cities.map(\.name) == ["a", "b"])
        var sent = citizen
        sent.home = City(name: "c")
        #expect(try json(sent, by: mapping.inverse()) == text)
        let plan = try RequestPlan(mapping.inverse())
        #expect(try plan.document(of: sent) == Document(parsing: text))
        let form = try plan.form(of: sent)
        #expect(
            String(decoding: form, as: UTF8.self)
                == (try FormFormat().text(of: plan.document(of: sent))))
        let cities = try RequestPlan(city.inverse()).bytes(ofAll: citizen.cities)
        let expected = #"{"a":{"since":"1970-01-01T00:00:00Z"},"b":{"since":null}}"#
        #expect(String(decoding: cities, as: UTF8.self) == expected)
        sent.cities = []
        sent.home = nil
        #expect(try json(sent, by: mapping.inverse()) == #"{"name":"x","towns":{}}"#)
    }

    @Test func leavesOutPathsThatCannotBeWritten() throws {
        let table = PropertyTable(
            City.self,
            [
                Property("name", \City.name, String?.self, source: "names[0]"),
                Property("founded", \City.founded, Date?.self),
            ])
        let text = try json(City(name: "a"), by: RequestMapping(defaultFor: table))
        #expect(text == #"{"founded":null}"#)
    }

    @Test func writesPositionsAsList() throws {
        let city = ObjectMapping(for: City.self, ["[2]": "name", "[0]": "founded"])
        let text = #"["1970-01-01T00:00:00Z",null,"a"]"#
        let root = try Document(parsing: text).root
        let found = try MappingCompiler().compile(city).object(City.self, from: root)
        #expect(found == City(name: "a", founded: Date(timeIntervalSince1970: 0)))
        #expect(try json(found, by: city.inverse()) == text)
    }

    @Test func invertsNestingAttributeToKey() throws {
        var mapping = ObjectMapping(for: Citizen.self, ["{name}.work": "job"])
        mapping.nestingAttribute = "name"
        let text = try json(Citizen(name: "blake", job: "Hacker"), by: mapping.inverse())
        #expect(text == #"{"blake":{"work":"Hacker"}}"#)
    }

    @Test(.parity("M337")) func roundTripsInverse() throws {
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("name", to: \.name)
            relationship("town", to: \.home, mapping: ObjectMapping(for: City.self))
        }
        let plan = try RequestPlan(mapping.inverse())
        let citizen = Citizen(name: "Blake", home: City())
        let document = try plan.document(of: citizen)
        #expect(document == ["name": "Blake", "town": ["name": nil, "founded": nil]])
        #expect(try Document(parsing: plan.bytes(of: citizen)) == document)
    }

    @Test(.parity("M338")) func roundTripsListsOfRelatedObjects() throws {
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("name", to: \.name)
            relationship("towns", to: \.cities, mapping: ObjectMapping(for: City.self, ["name"]))
        }
        let plan = try RequestPlan(mapping.inverse())
        let citizen = Citizen(name: "Blake", cities: [City(name: "a"), City(name: "b")])
        let document = try plan.document(of: citizen)
        #expect(document == ["name": "Blake", "towns": [["name": "a"], ["name": "b"]]])
        #expect(try Document(parsing: plan.bytes(of: citizen)) == document)
    }

    @Test func excludesPropertyMappingsAtEachLevel() throws {
        let mapping = ObjectMapping(for: Citizen.self) {
            attribute("name", to: \.name)
            attribute("job", to: \.job)
            relationship("town", to: \.home, mapping: ObjectMapping(for: City.self))
        }
        let inverse = mapping.inverse { $0.destination != "founded" && $0.destination != "job" }
        let text = try json(Citizen(name: "a", job: "b", home: City(name: "c")), by: inverse)
        #expect(text == #"{"name":"a","town":{"name":"c"}}"#)
    }

    @Test func keepsDateFormats() throws {
        var mapping = ObjectMapping(for: Citizen.self) {
            attribute("born", to: \.birthday)
            attribute("home.since", to: \.spot)
        }
        mapping.remove(to: "spot")
        mapping.conversion.dates = DateFormats([.monthDayYear])
        let citizen = Citizen(birthday: Date(timeIntervalSince1970: 0))
        #expect(try json(citizen, by: mapping.inverse()) == #"{"born":"01/01/1970"}"#)
        mapping = ObjectMapping(table: Citizen.properties)
        mapping.add(AttributeMapping("born", to: "birthday", using: DateFormat.yearMonthDay))
        #expect(try json(citizen, by: mapping.inverse()) == #"{"born":"1970-01-01"}"#)
    }

    @Test func omitsSourcesThatAreNotKeys() throws {
        let mapping = ObjectMapping(
            for: Citizen.self, ["name": "name", "@metadata.job": "job", "list[0]": "birthday"])
        #expect(mapping.inverse().attributes.map(\.source) == ["name"])
    }

    @Test func diagnosesTwoPropertiesOfOneSource() throws {
        let mapping = ObjectMapping(for: Citizen.self, ["name": "name"])
        var twice = mapping
        twice.add(AttributeMapping("name", to: "job"))
        let error = #expect(throws: MappingError.self) { try RequestPlan(twice.inverse()) }
        #expect(error?.diagnostics.map(\.code) == [.ambiguousDestination])
    }
}
