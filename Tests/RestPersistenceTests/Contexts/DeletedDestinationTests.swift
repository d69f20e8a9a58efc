// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import Testing

/// Unsaved references to objects that another context has deleted: the deletion wins.
@Suite struct DeletedDestinationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Inserts an airport, a terminal without an airport, and an airline.
    private func insertObjects(_ store: ManagedObjectStore) async throws {
        try await store.perform { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            try context.insert(Terminal.self).number = 1
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
    }

    private func delete<Object: ManagedEntity>(
        _ type: Object.Type, in store: ManagedObjectStore
    ) async throws {
        try await store.perform { context in
            for object in try context.fetch(type) { context.delete(object) }
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func clearsReferenceToObjectDeletedElsewhere(_ policy: MergePolicy) async throws {
        let store = try await files.open()
        try await insertObjects(store)
        let context = store.makeContext()
        context.mergePolicy = policy
        let terminal = try context.fetch(Terminal.self)[0]
        terminal.airport = try context.fetch(Airport.self)[0]
        terminal.airlines = Set(try context.fetch(Airline.self))
        try await delete(Airport.self, in: store)
        try await delete(Airline.self, in: store)
        #expect(try context.fetch(Terminal.self, where: { $0.airport == nil }) == [terminal])
        #expect(terminal.airport == nil)
        #expect(terminal.airlines == [])
        terminal.number = 2
        try await context.save()
        #expect(try files.rows("SELECT number, airport FROM Terminal") == [["2", "-"]])
        #expect(try files.rows("SELECT * FROM Airline_terminals") == [])
        #expect(!context.hasChanges)
    }

    @Test func deletesDestinationOfSourceThatOthersDeleted() async throws {
        let store = try await files.open()
        try await insertObjects(store)
        let parent = store.makeContext()
        let child = parent.child()
        let terminal = try parent.fetch(Terminal.self)[0]
        terminal.airport = try parent.fetch(Airport.self)[0]
        try await delete(Terminal.self, in: store)
        child.delete(try child.fetch(Airport.self)[0])
        try await child.save()
        #expect(try parent.fetch(Airport.self).isEmpty)
        #expect(terminal.objectState == .deleted)
    }

    /// Only the save finds rows that another program deletes, because no commit names them.
    @Test func clearsReferenceToRowDeletedByOtherProgram() async throws {
        let store = try await files.open()
        try await insertObjects(store)
        let context = store.makeContext()
        let known = try context.fetch(Terminal.self)[0]
        let airport = try context.fetch(Airport.self)[0]
        let new = try context.insert(Terminal.self)
        new.number = 2
        (known.airport, new.airport) = (airport, airport)
        (known.airlines, new.airlines) = ([], Set(try context.fetch(Airline.self)))
        try files.execute("DELETE FROM Airport; DELETE FROM Airline")
        try await context.save()
        #expect(
            try files.rows("SELECT number, airport FROM Terminal ORDER BY 1")
                == [["1", "-"], ["2", "-"]])
        #expect(try files.rows("SELECT * FROM Airline_terminals") == [])
        #expect((known.airport, new.airport) == (nil, nil))
        #expect(try await store.checkIntegrity() == [])
    }

    @Test func namesRequiredReferenceToDeletedObject() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            try context.insert("CatHoarder", ["name": "Ann"])
            try context.save()
        }
        let context = store.makeContext()
        let cat = try context.insert("HoardedCat", ["name": "Tom"])
        try cat.setRelated("catHoarder", try context.fetch(FetchRequest("CatHoarder")))
        try files.execute("DELETE FROM Human")
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .relationshipConflict)
        #expect((error?.entity, error?.property) == ("HoardedCat", "catHoarder"))
        #expect(
            error?.details == ["\(cat.objectID).catHoarder refers to an object that was deleted"])
        #expect(context.hasChanges)
        #expect(try files.rows("SELECT * FROM Cat") == [])
    }

    /// The parent has referred to the object after the child was made.
    @Test func childDeletionClearsUnsavedReferencesOfParent() async throws {
        let store = try await files.open()
        try await insertObjects(store)
        let parent = store.makeContext()
        let child = parent.child()
        let airport = try child.fetch(Airport.self)[0]
        let airline = try child.fetch(Airline.self)[0]
        let terminal = try parent.fetch(Terminal.self)[0]
        terminal.airport = try parent.fetch(Airport.self)[0]
        terminal.airlines = Set(try parent.fetch(Airline.self))
        child.delete(airport)
        child.delete(airline)
        try await child.save()
        #expect(terminal.airport == nil)
        #expect(terminal.airlines == [])
        #expect(try parent.fetch(Terminal.self, where: { $0.airport == nil }) == [terminal])
        try await parent.save()
        #expect(try files.rows("SELECT airport FROM Terminal") == [["-"]])
        #expect(try files.rows("SELECT * FROM Airline_terminals") == [])
    }

    @Test func childShowsObjectAgainAfterRollbackOfParent() async throws {
        let store = try await files.open()
        try await insertObjects(store)
        let parent = store.makeContext()
        let child = parent.child()
        let airport = try child.fetch(Airport.self)[0]
        parent.delete(try parent.fetch(Airport.self)[0])
        #expect(try child.fetch(Airport.self) == [])
        #expect(airport.objectState == .deleted)
        parent.rollback()
        #expect(try child.fetch(Airport.self) == [airport])
        #expect(airport.objectState == .saved)
        airport.name = "Oslo"
        try await child.saveToStore()
        #expect(try files.rows("SELECT name FROM Airport") == [["Oslo"]])
    }

    @Test func objectOfParentThatChildDropsIsDeleted() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let child = parent.child()
        let airline = try parent.insert(Airline.self)
        airline.code = "SK"
        child.delete(try child.fetch(Airline.self)[0])
        try await child.saveToStore()
        #expect(airline.objectState == .deleted)
        #expect(!parent.hasChanges)
        #expect(try files.rows("SELECT * FROM Airline") == [])
    }
}
