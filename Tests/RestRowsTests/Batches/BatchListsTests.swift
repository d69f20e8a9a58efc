// SPDX-License-Identifier: Apache-2.0

import GRDB
import Testing

@testable import RestRows

/// The lists of a document beside the stored ones.
@Suite struct BatchListsTests {
    private let model: ManagedObjectModel
    private let database: DatabaseQueue

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription(
                "Owner", attributes: [],
                relationships: [
                    .toMany("members", "Member", inverse: "owner"), .toMany("tags", "Tag"),
                    .toMany("places", "Tag", isOrdered: true),
                    .toMany("steps", "Step", inverse: "owner", isOrdered: true),
                ]),
            EntityDescription(
                "Member", attributes: [],
                relationships: [.toOne("owner", "Owner", inverse: "members")]),
            EntityDescription("Tag", attributes: []),
            EntityDescription(
                "Step", attributes: [],
                relationships: [.toOne("owner", "Owner", inverse: "steps")]),
        ])
        database = try DatabaseQueue()
        let schema = SchemaPlan(tables: model.tables, layouts: model.layouts, links: model.links)
        try database.write { database in
            try BatchModule.add(to: database)
            for statement in schema.statements { try database.execute(sql: statement) }
            try database.execute(
                sql: """
                    INSERT INTO Owner (restkit_key) VALUES (1), (2), (3);
                    INSERT INTO Member (restkit_key, owner) VALUES (10, 1), (11, 1), (12, 2), (13, NULL);
                    INSERT INTO Tag (restkit_key) VALUES (20), (21), (22)
                    """)
        }
    }

    private func lists(_ members: [[(Int64?, Int64?)]]) -> BatchLists {
        var lists = BatchLists()
        for list in members {
            for (key, position) in list { lists.append(key, position: position) }
            lists.endList()
        }
        return lists
    }

    @Test func comparesMembersByColumn() throws {
        let layout = try model.layout(named: "Member")
        let column = try #require(layout.columns.firstIndex { $0.name == "owner" })
        let found = try database.read { database in
            let table = BatchTable(
                lists([[(11, nil), (10, nil)], [(13, nil), (nil, nil)], [(12, nil)]]),
                of: [2, 1, 0], keys: [3, 2, 1])
            try table.compareMembers(by: column, at: nil, of: layout.table, in: database)
            return table.lists
        }
        #expect(found.isStored == [true, true, false, false, false])
        #expect(found.others.map(\.list) == [1])
        #expect(found.others.map(\.key) == [12])
    }

    @Test func comparesPositionsOfMembersByColumn() throws {
        let layout = try model.layout(named: "Owner")
        let steps = try #require(layout.relationships.first { $0.name == "steps" })
        guard case .inverseColumn(let column, let position?) = steps.storage else {
            Issue.record("the list is not stored in its members")
            return
        }
        let table = try model.layout(named: "Step").table
        let found = try database.write { database in
            let names = "owner, \(table.columns[position].quoted)"
            try database.execute(
                sql: """
                    INSERT INTO Step (restkit_key, \(names)) VALUES \
                    (30, 1, 0), (31, 1, 1), (32, 1, NULL), (33, 2, 0)
                    """)
            let batch = BatchTable(
                lists([[(30, 0), (31, 5), (32, 2), (33, nil)], [(33, nil)]]), of: [0, 1],
                keys: [1, 2])
            try batch.compareMembers(by: column, at: position, of: table, in: database)
            return batch.lists
        }
        #expect(found.isStored == [true, false, false, false, true])
        #expect(found.others.isEmpty)
    }

    @Test(arguments: [true, false])
    func comparesMembersOfJoinTable(isForward: Bool) throws {
        let index = try #require(model.links.firstIndex { $0.relationship == "tags" })
        let found = try database.write { database in
            let link = model.links[index]
            try database.execute(
                sql: "INSERT INTO \(link.quoted) (source, target) VALUES (1, 20), (1, 21), (2, 20)")
            let table =
                isForward
                ? BatchTable(
                    lists([[(21, nil), (22, nil)], [(20, nil)]]), of: [0, 1], keys: [1, 2])
                : BatchTable(
                    lists([[(2, nil), (3, nil)], [(1, nil)]]), of: [0, 1], keys: [20, 21])
            try table.compareMembers(
                of: link, isForward: isForward, isOrdered: false, in: database)
            return table.lists
        }
        #expect(found.isStored == [true, false, true])
        #expect(found.others.map(\.list) == [0])
        #expect(found.others.map(\.key) == [isForward ? 20 : 1])
    }

    @Test func comparesPositionsOfJoinTable() throws {
        let index = try #require(model.links.firstIndex { $0.relationship == "places" })
        let found = try database.write { database in
            let link = model.links[index]
            try database.execute(
                sql: """
                    INSERT INTO \(link.quoted) (source, target, target_position)
                    VALUES (1, 20, 1), (1, 21, 0), (1, 22, NULL), (2, 20, 5)
                    """)
            let table = BatchTable(
                lists([[(20, 1), (21, 1), (22, 2)], [(20, nil)]]), of: [0, 1], keys: [1, 2])
            try table.compareMembers(of: link, isForward: true, isOrdered: true, in: database)
            return table.lists
        }
        // A member without a position may have any.
        #expect(found.isStored == [true, false, false, true])
        #expect(found.others.isEmpty)
    }
}
