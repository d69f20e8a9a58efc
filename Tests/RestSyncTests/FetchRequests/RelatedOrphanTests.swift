// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Playlist: ManagedObject {
    @Identity var id: Int
    var title: String?
    var author: Author?
    @Inverse("list") var entries: Set<Entry>
}

@Entity private final class Author: ManagedObject {
    @Identity var id: Int
    @Inverse("author") var lists: Set<Playlist>
    @Inverse("author") var entries: Set<Entry>
}

@Entity private final class Entry: ManagedObject {
    @Identity var id: Int
    var list: Playlist?
    var author: Author?
}

@Entity private final class Resident: ManagedObject {
    @Identity var id: Int
    var name: String?
    @Inverse("roommates") var roommates: Set<Resident>
    @Inverse(\Resident.tenants) var landlord: Resident?
    var tenants: Set<Resident>
    var home: House?
}

@Entity private final class House: ManagedObject {
    @Identity var id: Int
    var owner: Resident?
    @Inverse("home") var occupants: Set<Resident>
}

@Entity private final class Meeting: ManagedObject {
    @Identity var id: Int
}

@Entity private final class Party: ManagedObject {
    @Identity var id: Int
    @Inverse("party") var vips: Set<Guest>
}

@Entity private final class Guest: ManagedObject {
    @Identity var name: String
    var party: Party?
}

@Mapped private final class Catalog {
    var lists: [Playlist] = []
}

/// Orphans among objects that several entities, or plain objects, lead to.
@MainActor @Suite(.tags(.socket)) struct RelatedOrphanTests {
    private func run(
        _ entities: [any ManagedEntity.Type], answering body: String,
        _ test: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore(entities)
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            for entity in entities {
                let name = entity.entity.name
                api.addFetchRequestRule { _ in FetchRequest(name) }
            }
            try await test(api, temporary)
        }
    }

    private static let catalog = #"""
        {"lists":[
        {"id":1,"author":{"id":1,"lists":[{"id":3,"entries":[{"id":3,"author":{"id":1}}]}]},
        "entries":[{"id":1,"author":{"id":1}}]},
        {"id":2,"author":{"id":2},"entries":[{"id":2,"author":{"id":2}}]}]}
        """#

    @Test(.parity("P246")) func unitedDestinationsOfCyclicRelationshipsStay() async throws {
        let entities: [any ManagedEntity.Type] = [Playlist.self, Author.self, Entry.self]
        try await run(entities, answering: Self.catalog) { api, temporary in
            let author = ObjectMapping(for: Author.self, ["id": "id", "lists": "lists"])
            let entry = ObjectMapping(for: Entry.self) {
                attribute("id", to: \.id)
                relationship("author", to: \.author, mapping: author)
            }
            let list = ObjectMapping(for: Playlist.self) {
                attribute("id", to: \.id)
                relationship("author", to: \.author, mapping: author)
                relationship("entries", to: \.entries, mapping: entry, assignment: .union)
            }
            let catalog = ObjectMapping(for: Catalog.self) {
                relationship("lists", to: \.lists, mapping: list)
            }
            try api.add(ResponseDescriptor(EntityMapping(catalog)))
            try await temporary.store.perform { context in
                let second = try Playlist.insert(into: context, id: 2)
                let existing = try Entry.insert(into: context, id: 4)
                existing.list = second
                _ = try Author.insert(into: context, id: 9)
                _ = try Playlist.insert(into: context, id: 9)
                try context.save()
            }
            let found: Catalog = try await api.get("catalog", in: temporary.store.mainContext)
            #expect(found.lists.map(\.id) == [1, 2])
            #expect(Set(found.lists[1].entries.map(\.id)) == [2, 4])
            #expect(try temporary.rows("SELECT id FROM Playlist ORDER BY id") == ["1", "2", "3"])
            #expect(try temporary.rows("SELECT id FROM Entry ORDER BY id") == ["1", "2", "3", "4"])
            #expect(try temporary.rows("SELECT id FROM Author ORDER BY id") == ["1", "2"])
        }
    }

    @Test(.parity("P245")) func nestedSelfReferencesKeepObjects() async throws {
        let house = #"""
            {"id":1,"owner":{"id":1,"name":"Blake"},"occupants":[
            {"id":2,"name":"Colin","roommates":[
            {"id":3,"name":"Sarah","landlord":{"id":4,"name":"Edward"}}]}]}
            """#
        try await run([House.self, Resident.self], answering: house) { api, temporary in
            try api.add(ResponseDescriptor(House.self))
            try await temporary.store.perform { context in
                for id in [4, 5] { _ = try Resident.insert(into: context, id: id) }
                try context.save()
            }
            let found = try await api.getObjects(
                House.self, at: "house", in: temporary.store.mainContext)
            #expect(found.count == 1)
            #expect(
                try temporary.rows("SELECT id, name FROM Resident ORDER BY id")
                    == ["1|Blake", "2|Colin", "3|Sarah", "4|Edward"])
            #expect(try temporary.rows("SELECT id FROM House") == ["1"])
        }
    }

    private static let events = DynamicMapping([
        MappingMatcher(
            at: "type",
            mappings: [
                "Meeting": ObjectMapping(for: Meeting.self, ["id": "id"]),
                "Party": ObjectMapping(for: Party.self, ["id": "id", "vips": "vips"]),
            ])
    ])

    @Test(
        .parity("P248"),
        arguments: [
            (#"{"type":"Party","id":1,"vips":[{"name":"Ann"}]}"#, 1, ["1"]),
            (#"{"type":"Meeting","id":1}"#, 1, []),
            (#"[{"type":"Meeting","id":1},{"type":"Party","id":2,"vips":[]}]"#, 2, ["2"]),
        ] as [(String, Int, [String])])
    func entitiesWithOtherRelationshipsAreKept(
        _ body: String, _ count: Int, _ parties: [String]
    ) async throws {
        try await run([Meeting.self, Party.self, Guest.self], answering: body) { api, temporary in
            try api.add(ResponseDescriptor(EntityMapping(Self.events)))
            try await temporary.store.perform { context in
                _ = try Party.insert(into: context, id: 7)
                try context.save()
            }
            let result: MappingResult = try await api.send(
                ManagedRequest(at: "events"), in: temporary.store.mainContext)
            #expect(result.count == count)
            #expect(try temporary.rows("SELECT id FROM Party") == parties)
        }
    }

    /// Issues leave a list whose other ones, one or several, have the same user and the same assignee.
    @Test(arguments: [1, 2]) func inverseOfParentKeepsNoOrphan(remainingCount: Int) async throws {
        let issues = (1...remainingCount).map { id in
            #"""
            {"id":\#(id),"number":\#(id),"title":"t","state":"open",
            "created_at":"2024-01-01T00:00:00Z",
            "user":{"id":5,"login":"ann"},"assignees":[{"id":6,"login":"bob"}]}
            """#
        }
        let body = "[\(issues.joined(separator: ","))]"
        let temporary = try await TemporaryStore()
        try await LoopbackServer.run({ request in
            let tag = request.headers["if-none-match"]
            return tag == "\"1\""
                ? LoopbackResponse(status: 304) : .json(body, headers: [("ETag", "\"1\"")])
        }) { server in
            let api = try manager(at: server.baseURL)
            api.addFetchRequestRule { _ in FetchRequest("Issue") }
            try await temporary.store.write { context in
                let users = [5, 6].map { id in
                    Result { try User.insert(into: context, id: id, login: "u") }
                }
                for id in 1...4 {
                    let issue = try Issue.insert(
                        into: context, id: id, number: id, title: "t", state: "open",
                        createdAt: .distantPast)
                    // The issues that have left the list share a user, or an assignee, with those that stay.
                    issue.user = try users[id == 4 ? 1 : 0].get()
                    issue.assignees = [try users[1].get()]
                }
            }
            let result = try await api.getObjects(Issue.self, at: "issues", into: temporary.store)
            #expect(result.orphanIDs.count == 4 - remainingCount && result.keptOrphanCount == 0)
            #expect(
                try temporary.rows("SELECT id FROM Issue ORDER BY id")
                    == (1...remainingCount).map(String.init))
            // The answer to a condition of the caller is that of the rules, with the same objects.
            for isStored in [true, false] {
                let again = try await api.getObjects(
                    Issue.self, at: "issues", into: temporary.store
                ) {
                    if !isStored { $0.request.headerFields[.ifNoneMatch] = "\"1\"" }
                }
                #expect(again.isNotModified && again.objectIDs == result.objectIDs)
            }
        }
    }

    /// The user is the root of the response, whose representation lacks the issues.
    @Test func listThatRootLacksKeepsObjects() async throws {
        let temporary = try await TemporaryStore()
        let body = #"{"id":5,"login":"ann"}"#
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            api.addFetchRequestRule { _ in FetchRequest("Issue") }
            try await temporary.store.write { context in
                let user = try User.insert(into: context, id: 5, login: "ann")
                let issue = try Issue.insert(
                    into: context, id: 1, number: 1, title: "t", state: "open",
                    createdAt: .distantPast)
                issue.user = user
            }
            let result = try await api.getObjects(User.self, at: "users/5", into: temporary.store)
            #expect(result.orphanIDs.isEmpty)
            #expect(try temporary.rows("SELECT id FROM Issue") == ["1"])
        }
    }
}
