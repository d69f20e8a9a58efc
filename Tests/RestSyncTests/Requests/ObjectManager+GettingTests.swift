// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerStoreTests {
    @Test func findsByIdentityAndConnectsRelationships() async throws {
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
        let one = try await getIssues(first, into: temporary.store)
        #expect(one.changes.inserted == 3)
        let two = try await getIssues(second, into: temporary.store)
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

    @Test func rejectsDescriptorForUnmanagedObjects() async throws {
        let temporary = try await TemporaryStore()
        let mapping = EntityMapping(
            ObjectMapping(for: User.self),
            rules: ["User": EntityRules(identification: ["nickname"])])
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

    @Test(.parity("M376")) func importsObjectsAtKeyPathThroughList() async throws {
        let temporary = try await TemporaryStore()
        let wrapped =
            #"[{"human":{"id":201,"login":"Blake"}},{"human":{"id":202,"login":"Sarah"}}]"#
        let wrong = #"[{"human":{"id":203,"login":"c"}},{"human":{"id":204,"login":null}}]"#
        try await temporary.store.perform { context in
            for id in [202, 201] {
                let user = try context.insert(User.self)
                user.id = id
                user.login = "old"
            }
            try context.save()
        }
        try await LoopbackServer.run({ $0.path.hasSuffix("wrong") ? .json(wrong) : .json(wrapped) })
        { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(User.self, keyPath: "human"))
            let result = try await api.getObjects(User.self, at: "all", into: temporary.store)
            let rows = try await temporary.store.perform { context in
                try result.objectIDs.map { id in
                    let user = try #require(context.object(with: id) as? User)
                    return "\(user.id) \(user.login)"
                }
            }
            #expect(rows == ["201 Blake", "202 Sarah"])
            #expect(result.changes.inserted == 0 && result.changes.updated == 2)
            let error = await #expect(throws: (any Error).self) {
                try await api.getObjects(User.self, at: "wrong", into: temporary.store)
            }
            #expect("\(try #require(error))".contains("human[1]"))
        }
        #expect(try temporary.rows("SELECT count(*) FROM User") == ["2"])
    }

    @Test(.parity("M378")) func importsIntoGivenStore() async throws {
        let (named, other) = try await (TemporaryStore(), TemporaryStore())
        try await LoopbackServer.run({ _ in .json(#"{"id":1,"login":"a"}"#) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(EntityMapping(User.self), at: "user"))
            let result = try await api.getObjects(User.self, at: "user", into: named.store)
            #expect(named.store.objectID(for: result.objectIDs[0].uri) == result.objectIDs[0])
            #expect(other.store.objectID(for: result.objectIDs[0].uri) == nil)
        }
        #expect(try named.rows("SELECT login FROM User") == ["a"])
        #expect(try other.rows("SELECT count(*) FROM User") == ["0"])
    }
}

/// The record of responses that were mapped into rows, in place of the mark in the client's cache.
@Suite(.tags(.socket)) struct MappedResponseCollectionTests {
    @Test @MainActor func eachRequestFunctionStoresCollection() async throws {
        let temporary = try await TemporaryStore()
        let answer = LoopbackResponse.json("[\(UnaffectedStore.issue)]")
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            api.store = temporary.store
            try await api.getObjects(Issue.self, at: "store")
            _ = try await api.getObjects(
                Issue.self, at: "context", in: temporary.store.mainContext)
            for path in ["store", "context"] {
                #expect(try await api.collection(at: path)?.objectIDs.count == 1, "\(path)")
            }
        }
    }

    @Test func failedMappingStoresNoCollection() async throws {
        let temporary = try await TemporaryStore()
        try await LoopbackServer.run({ _ in .json("[7]") }) { server in
            let api = try manager(at: server.baseURL)
            await #expect(throws: NetworkingError.self) {
                try await api.getObjects(Issue.self, at: "store", into: temporary.store)
            }
            #expect(try await api.collection(at: "store", in: temporary.store) == nil)
        }
    }
}
