// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextChangesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func store() async throws -> ManagedObjectStore {
        let store = try await files.open()
        try await store.perform { context in
            for code in ["DY", "SK"] { try context.insert(Airline.self).code = code }
            try context.save()
        }
        return store
    }

    @Test(.parity("P013")) func namesChangedObjectsOfSave() async throws {
        let store = try await store()
        var commits = store.commits.makeAsyncIterator()
        let context = store.makeContext()
        let airlines = try context.fetch(Airline.self, orderBy: \.code)
        airlines[0].alliance = .star
        context.delete(airlines[1])
        let new = try context.insert(Airline.self)
        new.code = "LH"
        #expect(context.insertedObjects == [new])
        #expect(context.updatedObjects == [airlines[0]])
        #expect(context.deletedObjects == [airlines[1]])
        try await context.save()
        let commit = try #require(await commits.next())
        #expect(commit.origin == .local)
        #expect(commit.insertedIDs == [new.objectID])
        #expect(commit.updatedIDs == [airlines[0].objectID])
        #expect(commit.deletedIDs == [airlines[1].objectID])
        #expect(Set(commit.insertedIDs + commit.updatedIDs + commit.deletedIDs).count == 3)
        #expect(commit.changedProperties(of: airlines[0].objectID) == ["alliance"])
        #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
    }

    @Test func findsDeletedObjectsThatWereReleased() async throws {
        let store = try await store()
        let context = store.makeContext()
        for airline in try context.fetch(Airline.self) {
            airline.alliance = .star
            if airline.code == "SK" { context.delete(airline) }
        }
        #expect(context.updatedObjects.compactMap { ($0 as? Airline)?.code } == ["DY"])
        #expect(context.deletedObjects.compactMap { ($0 as? Airline)?.code } == ["SK"])
        #expect(context.deletedObjects.allSatisfy { $0.objectState == .deleted })
    }

    @Test(.parity("K014")) func newObjectHasNoCommittedValues() async throws {
        let store = try await store()
        let context = store.makeContext()
        let new = try context.insert(Airline.self)
        new.code = "LH"
        #expect(try new.committedValues() == [:])
        #expect(new.changedValues == ["code": .text("LH"), "alliance": .null])
        try await context.save()
        #expect(try new.committedValues() == ["code": .text("LH"), "alliance": .null])
        #expect(new.changedValues == [:])
        (new.code, new.alliance) = ("XX", .star)
        #expect(new.changedValues == ["code": .text("XX"), "alliance": .text("star")])
        #expect(try new.committedValues() == ["code": .text("LH"), "alliance": .null])
        // An object is deleted if its own context does not find it.
        context.delete(new)
        let error = #expect(throws: PersistenceError.self) {
            try context.object(with: new.objectID)
        }
        #expect(error?.code == .objectNotFound)
    }

    @Test(.parity("K015")) func insertsAndCountsByName() async throws {
        let store = try await store()
        let context = store.makeContext()
        let airline = try context.insert(entity: "Airline")
        try airline.setValue("LH", "code")
        #expect(airline is Airline)
        #expect(try context.count(FetchRequest("Airline")) == 3)
        #expect(
            try context.count(FetchRequest(Airline.self, where: { $0.code == "LH" })) == 1)
        #expect(throws: PersistenceError.self) { try context.insert(entity: "Nothing") }
    }

    @Test func insertedAndDeletedObjectIsNoChange() async throws {
        let store = try await store()
        let context = store.makeContext()
        let airline = try context.insert(Airline.self)
        context.delete(airline)
        #expect(!context.hasChanges)
        #expect(try await context.save() == SaveReport())
    }

    @Test(.parity("K066")) func savesChangesOfHook() async throws {
        let store = try await store()
        let context = store.makeContext()
        var count = 0
        context.willSave = { context in
            count += 1
            try context.insert(Airline.self).code = "hook \(count)"
        }
        // The hook runs although there is nothing to save.
        #expect(!context.hasChanges)
        #expect(try await context.save().inserted == 1)
        #expect(count == 1)
        #expect(try files.rows("SELECT code FROM Airline WHERE code LIKE 'hook%'") == [["hook 1"]])
        context.willSave = { _ in throw CancellationError() }
        try context.insert(Airline.self).code = "rejected"
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .saveRejected)
        #expect(error?.underlying is CancellationError)
        #expect(context.hasChanges)
    }
}
