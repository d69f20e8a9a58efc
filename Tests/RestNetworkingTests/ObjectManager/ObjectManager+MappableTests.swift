// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Requests and responses of types that declare their mappings by names.
@Suite(.tags(.socket)) struct ObjectMappableRequestTests {
    private static let json = #"""
        {"team_name": "A", "leader": {"member_name": "L"},
         "members": {"member": [{"member_name": "a"}, {"member_name": "b"}]}}
        """#

    private static func expected(_ members: Set<TeamMember>) -> Team {
        Team(name: "A", origin: "provided", leader: TeamMember(name: "L"), members: members)
    }

    private func serve(
        _ answer: String, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in .json(answer) }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try await work(api, server)
        }
    }

    @Test(.parity("S100", "S101", "S102", "S104")) func readsDeclaredElements() async throws {
        let expected = Self.expected([TeamMember(name: "a"), TeamMember(name: "b")])
        try await serve(Self.json) { api, _ in
            let team: Team = try await api.get("team")
            #expect(team == expected)
            let listed = try await api.getObjects(Team.self, at: "team")
            #expect(listed == [expected])
            #expect(try await api.post(team, at: "team", as: Team.self) == expected)
            for try await page in api.pages(of: Team.self, at: "team", by: .linkHeader) {
                #expect(page.objects == [expected])
            }
            // By a descriptor, whose mapping is derived from the declarations.
            try api.add(ResponseDescriptor(Team.objectMapping, at: "team"))
            let result = try await api.getObjects(at: "team")
            #expect(result.objects(of: Team.self) == [expected])
            let operation = try api.enqueue(ObjectRequest<Team>(at: "team"))
            #expect(try await operation.value == expected)
        }
    }

    @Test(
        .parity("S102"),
        arguments: [
            (#"[{"member": {"member_name": "a"}}, {}, {"member": {"member_name": "b"}}]"#, 2),
            (#"{"member": {"member_name": "a"}}"#, 1), (#"{"member": []}"#, 0), ("{}", 0),
        ])
    func collectsRelatedElements(members: String, count: Int) async throws {
        try await serve(#"{"team_name": "A", "members": \#(members)}"#) { api, _ in
            let team: Team = try await api.get("team")
            #expect(team.members == Set(["a", "b"].prefix(count).map { TeamMember(name: $0) }))
            #expect(team.leader == nil)
        }
    }

    @Test(.parity("S104")) func mapsIntoProvidedInstances() async throws {
        // Absent members keep what the instance has; also in related objects and in lists.
        try await serve(#"[{"leader": {}}, {"team_name": "B", "leader": {"member_name": "L"}}]"#) {
            api, _ in
            let teams: [Team] = try await api.get("teams")
            #expect(teams.map(\.name) == ["unnamed", "B"])
            #expect(teams.map(\.origin) == ["provided", "provided"])
            #expect(teams.map { $0.leader?.rank } == [nil, 7])
        }
        // A type that provides none is created by its draft.
        try await serve(#"{"project_title": "P"}"#) { api, _ in
            let project: Project = try await api.get("project")
            #expect(project == Project(title: "P"))
        }
    }

    @Test(.parity("S104")) func fillsProvidedInstanceOfClass() async throws {
        try await serve(#"{"member_name": "a"}"#) { api, _ in
            let first: Badge = try await api.get("badge")
            let second: Badge = try await api.get("badge")
            #expect(first !== second)
            #expect([first.name, second.name] == ["a", "a"])
            #expect([first.note, second.note] == ["provided", "provided"])
        }
    }

    @Test(.parity("S101", "S103")) func sendsDeclaredRelationshipsOnly() async throws {
        try await serve("{}") { api, server in
            let team = Self.expected([TeamMember(name: "a")])
            try await api.post(team, at: "team")
            try await api.put(Project(title: "P", lead: Author(name: "L")), at: "project")
            #expect(
                server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                    #"{"team_name":"A","members":{"member":[{"member_name":"a"}]}}"#,
                    #"{"project_title":"P","lead":{"name":"L"},"sent":true}"#,
                ])
            let badge = Badge(name: "a", note: "n")
            try await api.post(badge, at: "badge")
            #expect(
                String(decoding: server.requests[2].body, as: UTF8.self) == #"{"member_name":"a"}"#)
        }
    }
}
