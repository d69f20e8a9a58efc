// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct DynamicRequestMappingTests {
    private var byJob: DynamicRequestMapping {
        var mapping = DynamicRequestMapping(for: Citizen.self)
        mapping.add(RequestMapping(for: Citizen.self, ["name", "birthday"])) { (it: Citizen) in
            it.job == "pilot"
        }
        mapping.add(RequestMapping(for: Citizen.self, ["job", "isRegistered"])) { (it: Citizen) in
            it.isRegistered
        }
        return mapping
    }

    @Test(.parity("M335")) func choosesMappingByObject() throws {
        let plan = try RequestPlan(byJob, rootKey: "flight_search")
        let first = try plan.document(of: Citizen(name: "a", job: "pilot", isRegistered: true))
        #expect(first == ["flight_search": ["name": "a", "birthday": nil]])
        let second = try plan.document(of: Citizen(name: "a", job: "x", isRegistered: true))
        #expect(second == ["flight_search": ["job": "x", "isRegistered": true]])
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: Citizen(job: "x")) }
        #expect(error?.code == .undeterminedMapping)
        #expect(error?.path == "flight_search")
    }

    @Test(.parity("M336")) func writesDatesOfChosenMappingAsISO8601() throws {
        let epoch = Date(timeIntervalSince1970: 0)
        let citizen = Citizen(name: "a", job: "pilot", birthday: epoch)
        let document = try RequestPlan(byJob).document(of: citizen)
        #expect(document == ["name": "a", "birthday": "1970-01-01T00:00:00Z"])
    }

    @Test func choosesMappingForEachRelatedObject() throws {
        var cities = DynamicRequestMapping(for: City.self)
        cities.add(RequestMapping(for: City.self, ["founded": "since"])) { (it: City) in
            it.founded != nil
        }
        cities.add(RequestMapping(for: City.self, ["name": "called"]))
        let mapping = RequestMapping(for: Citizen.self) {
            relationship(\.cities, to: "cities", mapping: cities)
        }
        let citizen = Citizen(cities: [
            City(name: "a"), City(founded: .init(timeIntervalSince1970: 0)), City(name: "b"),
        ])
        let document = try RequestPlan(mapping).document(of: citizen)
        #expect(
            document == [
                "cities": [["called": "a"], ["since": "1970-01-01T00:00:00Z"], ["called": "b"]]
            ])
    }

    @Test func reportsPathOfObjectWithoutMapping() throws {
        var cities = DynamicRequestMapping(for: City.self)
        cities.add(RequestMapping(for: City.self, ["name"])) { (it: City) in it.name != nil }
        let mapping = RequestMapping(for: Citizen.self) {
            relationship(\.cities, to: "in.cities", mapping: cities)
        }
        let plan = try RequestPlan(mapping)
        let error = #expect(throws: MappingError.self) {
            try plan.bytes(of: Citizen(cities: [City(name: "a"), City()]))
        }
        #expect(error?.code == .undeterminedMapping)
        #expect(error?.path == "in.cities[1]")
    }

    @Test func choosesMappingByClass() throws {
        var humans = DynamicRequestMapping(for: Human.self)
        humans.add(RequestMapping(for: Boy.self, ["name": "boy"]))
        humans.add(RequestMapping(for: Girl.self, ["name": "girl"]))
        let mapping = RequestMapping(for: Human.self) {
            relationship(\.friends, to: "friends", mapping: humans)
        }
        let human = Human()
        human.friends = [Boy(), Girl()]
        human.friends[0].name = "John"
        human.friends[1].name = "Jane"
        let document = try RequestPlan(mapping).document(of: human)
        #expect(document == ["friends": [["boy": "John"], ["girl": "Jane"]]])
        human.friends.append(Human())
        let plan = try RequestPlan(mapping)
        let error = #expect(throws: MappingError.self) { try plan.bytes(of: human) }
        #expect(error?.path == "friends[2]")
    }
}
