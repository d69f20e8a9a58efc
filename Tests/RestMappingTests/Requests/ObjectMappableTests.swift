// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

extension Citizen: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = [
        "citizen_name": "name", "work.title": "job",
    ]
    static let elementToRelationshipMappings: [SourcePath: String] = [
        "home": "home", "places.place": "cities", "friend": "friend",
    ]
    static let relationshipsToSerialize = ["cities"]

    static func object() -> Citizen? { Citizen(isRegistered: true) }

    func willSend(_ parameters: inout Document) {
        parameters = parameters.merging(["sent": true])
    }
}

extension User: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = ["name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [
        "group.members.member": "friendsSet", "group.members.list": "friends",
    ]
    static let relationshipsToSerialize: [String] = []
}

@Suite struct ObjectMappableTests {
    private let document: Document = [
        "citizen_name": "Blake", "work": ["title": "Hacker"], "home": ["name": "Oslo"],
        "places": ["place": [["name": "a"], ["name": "b"]]],
    ]

    @Test(.parity("S100", "S101", "S102")) func derivesMappingFromDeclaredNames() throws {
        var report = MappingReport()
        let plan = try MappingCompiler().compile(Citizen.objectMapping)
        let citizen = try plan.object(Citizen.self, from: document.root, report: &report)
        #expect(citizen.name == "Blake")
        #expect(citizen.job == "Hacker")
        #expect(citizen.home == City(name: "Oslo"))
        #expect(citizen.cities == [City(name: "a"), City(name: "b")])
    }

    @Test(
        .parity("S102"),
        arguments: [
            #"[{"member":{"name":"a"}},{},{"member":{"name":"b"}}]"#,
            #"{"member":[{"name":"a"},{"name":"b"}]}"#,
            #"[{"member":[{"name":"a"}]},{"member":[{"name":"b"}]}]"#,
        ])
    func collectedObjectsHaveTypeOfProperty(_ members: String) throws {
        var report = MappingReport()
        let document = try Document(
            parsing: #"{"name":"x","group":{"members":\#(members)}}"#)
        let lists = try Document(
            parsing: #"{"name":"x","group":{"members":\#(members)}}"#.replacing(
                "member\"", with: "list\""))
        let plan = try MappingCompiler().compile(User.objectMapping)
        let user = try plan.object(User.self, from: document.root, report: &report)
        #expect(user.friendsSet.count == 2)
        #expect(Set(user.friendsSet.map(\.name)) == ["a", "b"])
        #expect(user.friends.isEmpty)
        let other = try plan.object(User.self, from: lists.root, report: &report)
        #expect(other.friends.map(\.name) == ["a", "b"])
        #expect(other.friendsSet.isEmpty)
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("S102")) func mapsSingleRelatedElement() throws {
        var report = MappingReport()
        let plan = try MappingCompiler().compile(Citizen.objectMapping)
        let citizen = try plan.object(Citizen.self, from: document.root, report: &report)
        #expect(citizen.home == City(name: "Oslo"))
        #expect(citizen.friend == nil)
        let single: Document = ["places": ["place": ["name": "a"]]]
        let other = try plan.object(Citizen.self, from: single.root, report: &report)
        #expect(other.cities == [City(name: "a")])
    }

    @Test(.parity("S102")) func collectsRelatedObjectsThroughLists() throws {
        var report = MappingReport()
        let document: Document = ["places": [["place": ["name": "a"]], ["place": ["name": "b"]]]]
        let plan = try MappingCompiler().compile(Citizen.objectMapping)
        let citizen = try plan.object(Citizen.self, from: document.root, report: &report)
        #expect(citizen.cities == [City(name: "a"), City(name: "b")])
    }

    @Test(.parity("S103")) func sendsOnlyRelationshipsToSerialize() throws {
        let citizen = Citizen(name: "a", home: City(name: "x"), cities: [City(name: "b")])
        let document = try RequestPlan(Citizen.requestMapping).document(of: citizen)
        #expect(
            document == [
                "citizen_name": "a", "work": ["title": nil],
                "places": ["place": [["name": "b", "founded": nil]]],
            ])
    }

    @Test(.parity("S104")) func mapsIntoInstancesOfType() throws {
        var report = MappingReport()
        let citizens = try Citizen.objects(from: document.root, report: &report)
        #expect(citizens.map(\.isRegistered) == [true])
        #expect(citizens.map(\.name) == ["Blake"])
    }

    @Test(.parity("S105", "S106")) func serializesPropertiesAndRelationshipsSeparately() throws {
        let citizen = Citizen(name: "a", job: "b", cities: [City(name: "c")])
        let properties = try citizen.propertiesForSerialization()
        #expect(properties == ["citizen_name": "a", "work": ["title": "b"]])
        let related = try citizen.relationshipsForSerialization()
        #expect(related == ["places": ["place": [["name": "c", "founded": nil]]]])
        #expect(try citizen.parameters() == properties.merging(related).merging(["sent": true]))
    }
}
