// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ManagedResultTests {
    private static func issue(assignees: String) -> String {
        #"""
        {"issues":[{"id":1,"number":1,"title":"a","state":"open",
        "created_at":"2020-01-01T00:00:00Z","assignees":[\#(assignees)]}]}
        """#
    }

    @Test func changesContainRowsOfJoinTables() async throws {
        let temporary = try await TemporaryStore()
        let ann = #"{"id":7,"login":"ann"}"#
        let bo = #"{"id":8,"login":"bo"}"#
        let steps: [(assignees: String, expected: SaveReport)] = [
            (
                "\(ann),\(bo)",
                SaveReport(
                    inserted: 3,
                    relationships: [
                        .init(entity: "Issue", relationship: "assignees", inserted: 2)
                    ])
            ),
            (
                bo,
                SaveReport(
                    unchanged: 2,
                    relationships: [.init(entity: "Issue", relationship: "assignees", deleted: 1)])
            ),
            (bo, SaveReport(unchanged: 2)),
        ]
        for step in steps {
            let result = try await getIssues(
                Self.issue(assignees: step.assignees), into: temporary.store)
            #expect(result.changes == step.expected)
        }
    }

    @MainActor @Test(arguments: [false, true])
    func commitNamesRequest(inContext: Bool) async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"name":"a"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            var commits = fixture.store.commits.makeAsyncIterator()
            if inContext {
                _ = try await fixture.api.getObjects(
                    Human.self, at: "humans?token=secret", in: fixture.store.mainContext)
            } else {
                try await fixture.api.getObjects(
                    Human.self, at: "humans?token=secret", into: fixture.store)
            }
            let url = "\(fixture.server.baseURL)humans?…"
            let response = try #require(await commits.next())
            #expect(response.origin == .response(method: "GET", url: url))
            #expect(response.origin.isResponse && response.insertedIDs.count == 1)
            #expect(response.origin.description == "response to GET \(url)")
            try await fixture.save([2: "b"])
            #expect(await commits.next()?.origin == .local)
        }
    }
}
