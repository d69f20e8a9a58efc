// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The order of long lists, which follows commits by the rows that they name.
@MainActor @Suite(.tags(.socket), .timeLimit(.hang)) struct RemoteListMoveTests {
    /// Runs a closure with a list of humans by name, which were n100 to n699 when they were loaded.
    private static func run(
        _ body: (HumanFixture, RemoteList<Human>) async throws -> Void
    ) async throws {
        try await HumanFixture.run { fixture, served in
            let people = (100..<700).map { #"{"id":\#($0),"name":"n\#($0)"}"# }
            served.change { $0.humans = "[\(people.joined(separator: ","))]" }
            let list = try RemoteList(
                Human.self, at: "humans", by: fixture.api, orderBy: [.ascending(\.name)])
            while !list.phase.isFresh { await Task.yield() }
            #expect(list.objects.map(\.railsID) == Array(100..<700))
            try await body(fixture, list)
        }
    }

    /// Renames a human by another context.
    private static func rename(
        _ id: Int, to name: String, in store: ManagedObjectStore
    ) async throws {
        try await store.perform { context in
            let found = try context.first(Human.self, where: { $0.railsID == id })
            try #require(found).name = name
            try context.save()
        }
    }

    @Test func commitsOfOtherRowsAndColumnsOrderNothing() async throws {
        try await Self.run { fixture, list in
            try await fixture.save([1: "a"])
            try await Self.rename(1, to: "b", in: fixture.store)
            try await fixture.store.perform { context in
                let cat = try context.insert(Cat.self)
                cat.name = "c"
                try context.save()
                cat.name = "d"
                let found = try context.first(Human.self, where: { $0.railsID == 300 })
                try #require(found).favoriteCatID = 5
                try context.save()
            }
            // Unsaved changes, of objects of the list as well.
            let context = fixture.store.mainContext
            _ = try context.insert(Cat.self)
            list.objects[10].favoriteCatID = 7
            await Task.yield()
            try await Self.rename(600, to: "a", in: fixture.store)
            while list.objects.first?.railsID != 600 { await Task.yield() }
            // Commits are followed one after the other.
            #expect(list.moveCount == 1)
            #expect(list.orderCount == 0)
            #expect(list.objects.count == 600)
        }
    }

    @Test func deletedObjectsAreRemovedByTheirKeys() async throws {
        try await Self.run { fixture, list in
            let others = list.objects.filter { $0.railsID != 300 && $0.railsID != 699 }
            try await fixture.store.perform { context in
                for id in [300, 699] {
                    let found = try context.first(Human.self, where: { $0.railsID == id })
                    context.delete(try #require(found))
                }
                try context.save()
            }
            while list.objects.count == 600 { await Task.yield() }
            #expect(list.objects == others)
            #expect(list.moveCount + list.orderCount == 0)
        }
    }

    @Test func otherProcessOrdersAllObjects() async throws {
        try await Self.run { fixture, list in
            try fixture.temporary.execute("UPDATE Human SET name = 'a' WHERE railsID = 400")
            try fixture.temporary.execute("DELETE FROM Human WHERE railsID = 500")
            try await fixture.save([1: "b"])
            while list.objects.first?.railsID != 400 || list.objects.count != 599 {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(list.moveCount == 0)
            #expect(list.orderCount > 0)
        }
    }

    @Test(arguments: 0..<3)
    func movedObjectsHaveOrderOfStore(seed: UInt64) async throws {
        try await Self.run { fixture, list in
            var random = SplitMix64(seed: seed)
            for step in 0..<120 {
                let count = [1, 1, 2, 5][step % 4]
                let renamed = (0..<count).map { _ in
                    (
                        Int.random(in: 100..<700, using: &random),
                        // Some are equal, and some sort differently by case and by bytes.
                        ["n", "N", "é", ""][Int.random(in: 0..<4, using: &random)]
                            + "\(Int.random(in: 0..<40, using: &random) * 20)"
                    )
                }
                let deletes = step % 20 == 19
                try await fixture.store.perform { context in
                    for (id, name) in renamed {
                        let found = try context.first(Human.self, where: { $0.railsID == id })
                        if deletes { if let found { context.delete(found) } }
                        if !deletes { found?.name = name }
                    }
                    try context.save()
                }
                // Several commits are followed together, some before their order is read.
                if Bool.random(using: &random) { continue }
                let expected = try await fixture.store.read { context in
                    try context.fetch(Human.self, orderBy: \.name).map(\.railsID)
                }
                while list.objects.map(\.railsID) != expected { await Task.yield() }
            }
            #expect(list.moveCount > list.orderCount)
            #expect(list.orderCount > 0)
        }
    }
}
