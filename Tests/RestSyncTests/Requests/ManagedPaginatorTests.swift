// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

@Mapped private struct Team {
    let name: String
    let lead: Human
}

/// Paginators that a manager makes, with what they take from it.
@MainActor @Suite(.tags(.socket)) struct ManagedPaginatorTests {
    @Test(.parity("S052")) func inheritsConfigurationOfManager() async throws {
        try await LoopbackServer.run({ request in
            let id = request.query == "page=1" ? 1 : 2
            return .json(
                """
                {"teams":[{"name":"t\(id)","lead":{"id":\(id),"name":"n\(id)"}}],"pages":2}
                """)
        }) { server in
            let temporary = try await TemporaryStore(HumanFixture.entities)
            let api = try manager(at: server.baseURL + "v1/")
            let human = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
            let team = ObjectMapping(for: Team.self) {
                attribute("name", to: \.name)
                relationship("lead", to: \.lead, mapping: human)
            }
            try api.add(
                ResponseDescriptor(
                    EntityMapping(team, rules: HumanMappings.rules), at: "teams", keyPath: "teams"))
            api.store = temporary.store
            let pattern = "teams?page=:currentPage"
            let error = #expect(throws: NetworkingError.self) {
                try api.paginator(of: Team.self, pathPattern: pattern)
            }
            #expect(error?.code == .invalidConfiguration)
            #expect("\(try #require(error))".contains("needs the paginationMapping"))

            api.configure {
                $0.paginationMapping = ObjectMapping(for: PaginationState.self) {
                    attribute("pages", to: \.pageCount)
                }
            }
            let paginator = try api.paginator(of: Team.self, pathPattern: pattern)
            let first = try await paginator.loadPage(1)
            #expect(paginator.lastLoad?.url.path == "/v1/teams")
            #expect(paginator.lastLoad?.url.query == "page=1")
            #expect(first.map(\.name) == ["t1"] && first.map(\.lead.name) == ["n1"])
            #expect(try paginator.hasNextPage)
            #expect(try await paginator.loadNextPage().map(\.lead.railsID) == [2])
            #expect(server.requests.map(\.path) == ["/v1/teams", "/v1/teams"])
            #expect(
                try temporary.rows("SELECT railsID, name FROM Human ORDER BY railsID")
                    == ["1|n1", "2|n2"])
        }
    }
}
