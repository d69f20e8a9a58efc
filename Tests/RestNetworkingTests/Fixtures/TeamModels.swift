// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A member of a team, which provides its instances.
struct TeamMember: Hashable {
    var name: String?
    var rank = 7
}

extension TeamMember: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = ["member_name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [:]
    static let relationshipsToSerialize: [String] = []

    static func object() -> TeamMember? { TeamMember(rank: 7) }

    struct Draft: MappingDraft {
        private var member = TeamMember(rank: 0)

        init() {}

        init(editing subject: TeamMember) { member = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: member.name = try source.read(String?.self)
            case 1: member.rank = try source.read(Int.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> TeamMember { member }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(rank)
        default: break
        }
    }

    static let properties = PropertyTable(
        TeamMember.self,
        [
            Property("name", \TeamMember.name, String?.self),
            Property("rank", \TeamMember.rank, Int.self),
        ])
}

/// An object with a related object, and a set of others that a path collects.
struct Team: Equatable {
    var name = ""
    var origin = ""
    var leader: TeamMember?
    var members: Set<TeamMember> = []
}

extension Team: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = ["team_name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [
        "leader": "leader", "members.member": "members",
    ]
    static let relationshipsToSerialize = ["members"]

    static func object() -> Team? { Team(name: "unnamed", origin: "provided") }

    struct Draft: MappingDraft {
        private var team = Team()

        init() {}

        init(editing subject: Team) { team = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: team.name = try source.read(String.self)
            case 1: team.origin = try source.read(String.self)
            case 2: team.leader = try source.read(TeamMember?.self)
            case 3: team.members = try source.read(Set<TeamMember>.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Team { team }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(origin)
        case 2: try writer.write(leader)
        case 3: try writer.write(members)
        default: break
        }
    }

    static let properties = PropertyTable(
        Team.self,
        [
            Property("name", \Team.name, String.self),
            Property("origin", \Team.origin, String.self),
            Property("leader", \Team.leader, TeamMember?.self),
            Property("members", \Team.members, Set<TeamMember>.self),
        ])
}

/// A class that provides its instances.
final class Badge {
    var name: String?
    var note: String

    init(name: String? = nil, note: String) {
        self.name = name
        self.note = note
    }
}

extension Badge: ObjectMappable {
    static let elementToPropertyMappings: [SourcePath: String] = ["member_name": "name"]
    static let elementToRelationshipMappings: [SourcePath: String] = [:]
    static let relationshipsToSerialize: [String] = []

    static func object() -> Badge? { Badge(note: "provided") }

    struct Draft: MappingDraft {
        private let subject: Badge
        private var name: String??

        init() { subject = Badge(note: "created") }

        init(editing subject: Badge) { self.subject = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            if property == 0 { name = try source.read(String?.self) }
        }

        consuming func finish() throws(MappingFailure) -> Badge {
            if let name { subject.name = name }
            return subject
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        if property == 0 { try writer.write(name) }
    }

    static let properties = PropertyTable(
        Badge.self, [Property("name", \Badge.name, String?.self)])
}
