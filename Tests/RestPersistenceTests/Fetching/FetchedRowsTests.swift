// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence
@testable import RestRows

/// Rows of a fetch that share an allocation.
@Suite struct FetchedRowsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Saves humans with ascending identifiers.
    private func openHumans(_ count: Int) async throws -> ManagedObjectStore {
        let store = try await files.openHumans()
        try await store.perform { context in
            for id in 1...count {
                try context.insert("Human", ["railsID": id, "name": "Human \(id)"])
            }
            try context.save()
        }
        return store
    }

    private static func names(_ humans: [ManagedObject]) throws -> [String?] {
        try humans.map { try $0.givenName }
    }

    @Test(arguments: [1, 63, 64, 65, 128, 300])
    func rowsOfAllBlocksAreRead(count: Int) async throws {
        let store = try await openHumans(count)
        let names = try await store.perform { context in
            try Self.names(context.fetch(FetchRequest("Human", orderBy: [.ascending("railsID")])))
        }
        #expect(names == (1...count).map { "Human \($0)" })
    }

    @Test func settingValueLeavesRowsOfSameBlock() async throws {
        let store = try await openHumans(130)
        let (before, after, saved) = try await store.perform { context in
            let request = FetchRequest("Human", orderBy: [.ascending("railsID")])
            let humans = try context.fetch(request)
            for index in [0, 64, 100] { try humans[index].setValue("Changed", "name") }
            let before = try Self.names(humans)
            let after = try Self.names(context.fetch(request))
            try context.save()
            return (before, after, try Self.names(context.fetch(request)))
        }
        let expected = (1...130).map { [1, 65, 101].contains($0) ? "Changed" : "Human \($0)" }
        #expect(before == expected)
        #expect(after == expected)
        #expect(saved == expected)
    }

    @Test func rowOfBlockIsComparedByItsValues() {
        let block: [StoredValue] = [.integer(1), .text("a"), .integer(1), .text("a")]
        let rows = [0, 1].map { RowValues(block, row: $0, width: 2) }
        #expect(rows[0] == rows[1])
        #expect(rows[0] == RowValues([.integer(1), .text("a")]))
        var changed = rows[1]
        changed[1] = .text("b")
        #expect(changed != rows[0])
        #expect(Array(changed) == [.integer(1), .text("b")])
        #expect(Array(rows[1]) == [.integer(1), .text("a")])
    }

    @Test func secondChangeOfObjectIsFetched() async throws {
        let store = try await openHumans(3)
        let found = try await store.perform { context in
            defer { context.rollback() }
            let human = try #require(
                context.fetch(FetchRequest("Human", where: .attribute("railsID", .equal, 2))).first)
            return try ["first", "second"].map { name in
                try human.setValue(name, "name")
                let request = FetchRequest("Human", where: .attribute("name", .equal, name))
                return try context.fetch(request).count
            }
        }
        #expect(found == [1, 1])
    }
}
