// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct MergePolicyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store with an airport, and its ID.
    private func store() async throws -> (ManagedObjectStore, ManagedObjectID) {
        let store = try await files.open()
        let id = try await store.perform { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name, airport.passengers) = ("OSL", "Gardermoen", 1)
            try context.save()
            return airport.objectID
        }
        return (store, id)
    }

    private func change(
        _ store: ManagedObjectStore, _ id: ManagedObjectID,
        _ body: @Sendable (Airport) -> Void
    ) async throws {
        try await store.perform { context in
            body(try context.object(Airport.self, with: id))
            try context.save()
        }
    }

    private func row() throws -> [[String]] {
        try files.rows("SELECT name, passengers FROM Airport")
    }

    @Test func failsForPropertyThatBothChanged() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        (airport.name, airport.passengers) = ("mine", 2)
        try await change(store, id) { $0.name = "theirs" }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .saveConflict)
        #expect(error?.conflicts.map(\.description) == ["\(id).name"])
        #expect(error?.details == ["\(id).name"])
        #expect(error?.description.contains("theirs") == false)
        #expect(context.hasChanges)
        #expect((airport.name, airport.passengers) == ("mine", 2))
        #expect(try row() == [["theirs", "1"]])
        // A refreshed object has seen the stored value, so that saving replaces it.
        try context.refresh(airport)
        #expect(airport.name == "mine")
        #expect(try await context.save().updated == 1)
        #expect(try row() == [["mine", "2"]])
    }

    @Test func discardsChangesOfRefreshedObject() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.name = "mine"
        try await change(store, id) { $0.name = "theirs" }
        try context.refresh(airport, keepingChanges: false)
        #expect(airport.name == "theirs")
        #expect(airport.objectState == .saved)
        #expect(!context.hasChanges)
    }

    @Test func storedValueWins() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        context.mergePolicy = .storeWins
        let airport = try context.object(Airport.self, with: id)
        (airport.name, airport.passengers) = ("mine", 2)
        try await change(store, id) { $0.name = "theirs" }
        #expect(try await context.save().updated == 1)
        #expect((airport.name, airport.passengers) == ("theirs", 2))
        #expect(try row() == [["theirs", "2"]])
    }

    @Test func unsavedValueWins() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        context.mergePolicy = .contextWins
        let airport = try context.object(Airport.self, with: id)
        airport.name = "mine"
        try await change(store, id) { ($0.name, $0.passengers) = ("theirs", 7) }
        #expect(try await context.save().updated == 1)
        #expect((airport.name, airport.passengers) == ("mine", 7))
        #expect(try row() == [["mine", "7"]])
    }

    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func mergesDifferentProperties(_ policy: MergePolicy) async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        let airport = try context.object(Airport.self, with: id)
        airport.passengers = 2
        try await change(store, id) { $0.name = "theirs" }
        try await context.save()
        #expect((airport.name, airport.passengers) == ("theirs", 2))
        #expect(try row() == [["theirs", "2"]])
    }

    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func equalValuesAgree(_ policy: MergePolicy) async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        let airport = try context.object(Airport.self, with: id)
        (airport.name, airport.passengers) = ("both", 2)
        try await change(store, id) { $0.name = "both" }
        #expect(try await context.save().updated == 1)
        airport.name = "again"
        try await change(store, id) { $0.name = "again" }
        #expect(try await context.save() == SaveReport(unchanged: 1))
        #expect(try row() == [["again", "2"]])
    }

    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func equalValuesOfParentAndChildAgree(_ policy: MergePolicy) async throws {
        let (store, id) = try await store()
        let parent = store.makeContext()
        parent.mergePolicy = policy
        let child = parent.child()
        let copy = try child.object(Airport.self, with: id)
        (copy.name, copy.passengers) = ("both", 3)
        try parent.object(Airport.self, with: id).name = "both"
        try await child.save()
        try await parent.save()
        #expect(try row() == [["both", "3"]])
    }

    @Test func reportsAllConflicts() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        (airport.name, airport.passengers, airport.code) = ("mine", 2, "XXX")
        try await change(store, id) { ($0.name, $0.passengers) = ("theirs", 3) }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(Set(error?.conflicts.map(\.property) ?? []) == ["name", "passengers"])
    }
}
