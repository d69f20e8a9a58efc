// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ManagedGetTests {
    @Test func findsByIdentityAndConnectsToOneAndToMany() async throws {
        let temporary = try await TemporaryStore()
        let first = #"""
            {"issues":[{"id":1,"number":1,"title":"a","state":"open",
            "created_at":"2020-01-01T00:00:00Z","user":{"id":7,"login":"ann"},
            "assignees":[{"id":7,"login":"ann"},{"id":8,"login":"bo"}]}]}
            """#
        let second = #"""
            {"issues":[{"id":2,"number":2,"title":"b","state":"open",
            "created_at":"2020-01-01T00:00:00Z","user":{"id":8,"login":"bob"},"assignees":[]},
            {"id":1,"number":1,"title":"a","state":"closed",
            "created_at":"2020-01-01T00:00:00Z","user":null,
            "assignees":[{"id":8,"login":"bob"}]}]}
            """#
        let one = try await get(first, into: temporary)
        #expect(one.changes.inserted == 3)
        let two = try await get(second, into: temporary)
        #expect(two.objectIDs.count == 2)
        #expect(two.objectIDs.last == one.objectIDs.first)
        #expect(two.changes.inserted == 1)
        #expect(
            try temporary.rows(
                """
                SELECT i.id, i.state, u.login FROM Issue i LEFT JOIN User u ON u.restkit_key = i.user
                ORDER BY i.id
                """) == ["1|closed|-", "2|open|bob"])
        #expect(
            try temporary.rows("SELECT id, login FROM User ORDER BY id") == ["7|ann", "8|bob"])
        let assigned = try await temporary.store.perform { context in
            try context.fetch(Issue.self, orderBy: \.id).map { issue in
                issue.assignees.map(\.id).sorted()
            }
        }
        #expect(assigned == [[8], []])
    }

    @Test func aDescriptorForPlainObjectsOfAnotherKindIsRefusedBeforeAnythingIsSaved() async throws
    {
        let temporary = try await TemporaryStore()
        let mapping = EntityMapping(
            ObjectMapping(for: User.self), identification: ["User": ["nickname"]])
        try await LoopbackServer.run({ _ in .json(#"[{"id":1,"login":"a"}]"#) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(mapping, at: "users"))
            let error = await #expect(throws: SyncError.self) {
                try await api.getObjects(User.self, at: "users", into: temporary.store)
            }
            #expect(error?.code == .unsuitableMapping)
            #expect(error?.description.contains("GET \(server.baseURL)users") == true)
        }
        #expect(try temporary.rows("SELECT count(*) FROM User") == ["0"])
    }

    private func get(
        _ json: String, into temporary: TemporaryStore
    ) async throws -> ManagedResult {
        try await LoopbackServer.run({ _ in .json(json) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Issue.self, at: "issues", keyPath: "issues"))
            return try await api.getObjects(Issue.self, at: "issues", into: temporary.store)
        }
    }
}
