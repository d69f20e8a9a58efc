// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Numbers that several contexts count up.
@Suite struct ManagedObjectCountingTests {
    static let policies = [MergePolicy.fail, .storeWins, .contextWins]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func store(
        _ policy: MergePolicy = .fail
    ) async throws -> (ManagedObjectStore, ManagedObjectID) {
        let store = try await files.open(StoreConfiguration(mergePolicy: policy))
        let id = try await store.write { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name, airport.passengers) = ("OSL", "Gardermoen", 5)
            return airport.objectID
        }
        return (store, id)
    }

    private func count(
        _ store: ManagedObjectStore, _ id: ManagedObjectID, by amount: Int
    ) async throws {
        try await store.write {
            try $0.object(Airport.self, with: id).increment(\.passengers, by: amount)
        }
    }

    private func passengers() throws -> [[String]] {
        try files.rows("SELECT passengers FROM Airport")
    }

    @Test(arguments: policies) func addsUpWhatContextsCount(_ policy: MergePolicy) async throws {
        let (store, id) = try await store(policy)
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.increment(\.passengers)
        airport.increment(\.passengers, by: 2)
        #expect(airport.passengers == 8)
        try await count(store, id, by: 3)
        // Equal values are two counts.
        try await context.save()
        #expect(airport.passengers == 11)
        #expect(try passengers() == [["11"]])
        airport.increment(\.passengers, by: -11)
        #expect(try await context.save().updated == 1)
        #expect(try passengers() == [["0"]])
    }

    @Test(arguments: policies) func addsUpWhatParentAndChildCount(
        _ policy: MergePolicy
    ) async throws {
        let (store, id) = try await store(policy)
        let parent = store.makeContext()
        let child = parent.child()
        let copy = try child.object(Airport.self, with: id)
        copy.increment(\.passengers)
        let airport = try parent.object(Airport.self, with: id)
        airport.increment(\.passengers)
        try await count(store, id, by: 10)
        try await child.save()
        #expect(airport.passengers == 7)
        #expect(copy.passengers == 7)
        try await parent.save()
        #expect(airport.passengers == 17)
        #expect(try passengers() == [["17"]])
    }

    @Test func addsUpWhatChainCounts() async throws {
        let (store, id) = try await store()
        let parent = store.makeContext()
        let child = parent.child()
        let copy = try child.object(Airport.self, with: id)
        copy.increment(\.passengers)
        try parent.object(Airport.self, with: id).increment(\.passengers)
        try await count(store, id, by: 10)
        try await child.saveToStore()
        #expect(copy.passengers == 17)
        #expect(try passengers() == [["17"]])
    }

    /// The count of a child is added to the value of its parent when the child is saved.
    @Test func fetchFindsValueThatObjectHas() async throws {
        let (store, id) = try await store()
        let parent = store.makeContext()
        let child = parent.child()
        let copy = try child.object(Airport.self, with: id)
        copy.increment(\.passengers)
        let airport = try parent.object(Airport.self, with: id)
        airport.passengers = 20
        #expect(copy.passengers == 6)
        #expect(try child.fetch(Airport.self, where: { $0.passengers == 6 }) == [copy])
        #expect(copy.passengers == 6)
        try await child.save()
        #expect(copy.passengers == 21)
        #expect(airport.passengers == 21)
    }

    @Test func assignmentEndsCounting() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.increment(\.passengers)
        airport.passengers = 9
        airport.increment(\.passengers)
        try await count(store, id, by: 1)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.conflicts.map(\.property) == ["passengers"])
        #expect(airport.passengers == 10)
    }

    @Test func refreshingKeepsCount() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.increment(\.passengers)
        try await count(store, id, by: 3)
        try context.refresh(airport)
        #expect(airport.passengers == 9)
        try await count(store, id, by: 1)
        try await context.save()
        #expect(try passengers() == [["10"]])
    }

    @Test func countsNewObject() async throws {
        let (store, _) = try await store()
        let context = store.makeContext()
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name) = ("BGO", "Flesland")
        airport.increment(\.passengers, by: 4)
        try await context.save()
        #expect(try passengers() == [["5"], ["4"]])
    }

    @Test func sumThatDoesNotFitIsConflict() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.increment(\.passengers, by: Int.max - 5)
        try await count(store, id, by: 1)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.conflicts.map(\.description) == ["\(id).passengers"])
    }

    @Test func countsAttributesByName() async throws {
        let store = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel([
                EntityDescription(
                    "Account",
                    attributes: [
                        AttributeDescription("price", .decimal),
                        AttributeDescription("rate", .double),
                        AttributeDescription("note", .text),
                    ], relationships: [])
            ]))
        let id = try await store.write { context in
            let account = try context.insert(entity: "Account")
            try account.setValue(Decimal(string: "0.1") ?? 0, "price")
            try account.setValue(1.5 as Double, "rate")
            try account.setValue("", "note")
            return account.objectID
        }
        let context = store.makeContext()
        for other in [context, store.makeContext()] {
            let account = try other.object(with: id)
            try account.incrementValue("price", by: Decimal(string: "0.2") ?? 0)
            try account.incrementValue("rate", by: 0.25 as Double)
            if other !== context { try await other.save() }
            let error = #expect(throws: PersistenceError.self) {
                try account.incrementValue("note", by: 1)
            }
            #expect(error?.code == .unknownProperty)
        }
        try await context.save()
        let account = try context.object(with: id)
        #expect(try account.value("price") == Decimal(string: "0.5"))
        #expect(try account.value("rate", as: Double.self) == 2)
    }

    /// More tasks than the machine has processors count without any retry.
    @Test(.tags(.concurrency)) func losesNoCount() async throws {
        let (store, id) = try await store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let context = store.makeContext()
                    let airport = try context.object(Airport.self, with: id)
                    for _ in 0..<50 {
                        airport.increment(\.passengers)
                        try await context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try passengers() == [["405"]])
    }
}
