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

/// A type with two collections of related objects, which declare their own names.
struct Guild: ObjectMappable {
    var name: String?
    var list: [Guild] = []
    var set: Set<Mason> = []

    static let elementToPropertyMappings: [SourcePath: String] = ["guild_name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [
        "group.members.member": "set", "group.members.list": "list",
    ]
    static let relationshipsToSerialize = ["list", "set"]

    struct Draft: MappingDraft {
        private var guild = Guild()

        init() {}

        init(editing subject: Guild) { guild = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &guild.name)
            case 1: guild.list = try source.read([Guild].self)
            case 2: guild.set = try source.read(Set<Mason>.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Guild { guild }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(list)
        case 2: try writer.write(set)
        default: break
        }
    }

    static let properties = PropertyTable(
        Guild.self,
        [
            Property("name", \Guild.name, String?.self),
            Property("list", \Guild.list, [Guild].self),
            Property("set", \Guild.set, Set<Mason>.self),
        ])
}

struct Mason: ObjectMappable, Hashable {
    var name: String?

    static let elementToPropertyMappings: [SourcePath: String] = ["mason_name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [:]
    static let relationshipsToSerialize: [String] = []

    struct Draft: MappingDraft {
        private var mason = Mason()

        init() {}

        init(editing subject: Mason) { mason = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            if property == 0 { try source.assign(nullable: &mason.name) }
        }

        consuming func finish() throws(MappingFailure) -> Mason { mason }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        if property == 0 { try writer.write(name) }
    }

    static let properties = PropertyTable(
        Mason.self, [Property("name", \Mason.name, String?.self)])
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
            #"[{"member":{"mason_name":"a"}},{},{"member":{"mason_name":"b"}}]"#,
            #"{"member":[{"mason_name":"a"},{"mason_name":"b"}]}"#,
            #"[{"member":[{"mason_name":"a"}]},{"member":[{"mason_name":"b"}]}]"#,
        ])
    func collectedObjectsHaveTypeOfProperty(_ members: String) throws {
        var report = MappingReport()
        let json = #"{"guild_name":"x","group":{"members":\#(members)}}"#
        let document = try Document(parsing: json)
        let lists = try Document(
            parsing: json.replacing("member\"", with: "list\"").replacing(
                "mason_name", with: "guild_name"))
        let plan = try MappingCompiler().compile(Guild.objectMapping)
        let guild = try plan.object(Guild.self, from: document.root, report: &report)
        #expect(guild.name == "x")
        #expect(guild.set == [Mason(name: "a"), Mason(name: "b")])
        #expect(guild.list.isEmpty)
        let other = try plan.object(Guild.self, from: lists.root, report: &report)
        #expect(other.list.map(\.name) == ["a", "b"])
        #expect(other.set.isEmpty)
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("S103")) func sendsRelatedObjectsByTheirDeclarations() throws {
        let guild = Guild(
            name: "x", list: [Guild(name: "y")], set: [Mason(name: "z")])
        #expect(
            try RequestPlan(Guild.requestMapping).document(of: guild) == [
                "guild_name": "x",
                "group": [
                    "members": [
                        "list": [
                            ["guild_name": "y", "group": ["members": ["list": [], "member": []]]]
                        ], "member": [["mason_name": "z"]],
                    ]
                ],
            ])
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
        let properties = try citizen.propertiesForSerialization(dates: .iso8601)
        #expect(properties == ["citizen_name": "a", "work": ["title": "b"]])
        let related = try citizen.relationshipsForSerialization(dates: .iso8601)
        #expect(related == ["places": ["place": [["name": "c", "founded": nil]]]])
        #expect(try citizen.parameters() == properties.merging(related).merging(["sent": true]))
    }
}
