// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextRefreshingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func oldObjectsStayHarmlessAfterReset() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let saved = try context.insert(Airline.self)
        saved.code = "SK"
        try await context.save()
        saved.alliance = .star
        let new = try context.insert(Airline.self)
        new.code = "DY"
        context.reset()
        #expect(!context.hasChanges)
        for object in [saved, new] { #expect(object.objectState == .detached) }
        #expect((saved.code, new.code) == ("SK", "DY"))
        let found = try #require(try context.fetch(Airline.self).first)
        #expect(found !== saved)
        #expect(found.alliance == nil)
        saved.code = "XX"
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.details == ["\(saved.objectID).code was set after its context was reset"])
        try await context.save()
        #expect(try files.rows("SELECT code, alliance FROM Airline") == [["SK", "-"]])
    }

    /// The child clears a reference of its parent, because it deletes the destination.
    @Test func refreshKeepsBaseOfClearedReference() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let (airport, city) = (try parent.insert(Airport.self), try parent.insert(City.self))
        (airport.code, airport.name, city.name) = ("OSL", "Gardermoen", "Oslo")
        try await parent.save()
        airport.city = city
        let child = parent.child()
        child.delete(try child.object(City.self, with: city.objectID))
        try child.refresh(try child.object(Airport.self, with: airport.objectID))
        try await child.save()
        #expect(airport.city == nil)
        #expect(city.objectState == .deleted)
    }

    @Test func refreshesObjectWithUnsavedChanges() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let airline = try context.insert(Airline.self)
        airline.code = "SK"
        try await context.save()
        airline.alliance = .star
        try files.execute("UPDATE Airline SET code = 'DY'")
        #expect(airline.code == "SK")
        try context.refresh(airline)
        #expect(airline.code == "DY")
        #expect(airline.alliance == .star)
        try files.execute("DELETE FROM Airline")
        try context.refresh(airline)
        #expect(airline.objectState == .deleted)
        #expect(airline.code == "DY")
    }

    @Test func editsDuringAsynchronousSaveStayUnsaved() async throws {
        let store = try await files.open()
        let writer = Writer(store)
        let code = try await writer.insert("SK")
        #expect(code == "SK")
        // While one task saves, another one edits the same object.
        let (first, second) = try await writer.saveTwice()
        #expect(first.inserted == 0 && first.updated == 1)
        #expect(second.updated == 1)
        #expect(try files.rows("SELECT code, alliance FROM Airline") == [["edited", "star"]])
    }

    @Test func failedAsynchronousSaveKeepsLaterEdits() async throws {
        let store = try await files.open()
        let writer = Writer(store)
        _ = try await writer.insert("SK")
        #expect(try await writer.failAndEdit() == ["SK", "edited"])
        #expect(try files.rows("SELECT code FROM Airline ORDER BY 1") == [["SK"]])
        #expect(try await writer.save().inserted == 1)
        #expect(try files.rows("SELECT code FROM Airline ORDER BY 1") == [["SK"], ["edited"]])
    }
}

/// An actor that owns a context and its objects.
private actor Writer {
    private let context: ManagedObjectContext
    private var airline: Airline?

    init(_ store: ManagedObjectStore) { context = store.makeContext() }

    func insert(_ code: String) async throws -> String {
        let airline = try context.insert(Airline.self)
        airline.code = code
        self.airline = airline
        try await context.save()
        return airline.code
    }

    func save() async throws -> SaveReport { try await context.save() }

    /// Edits on this actor while a save of it is waiting for the writer.
    func saveTwice() async throws -> (SaveReport, SaveReport) {
        airline?.alliance = .star
        async let edited: Void = edit("edited")
        let first = try await context.save()
        await edited
        return (first, try await context.save())
    }

    private func edit(_ code: String) { airline?.code = code }

    /// Edits an object while a save with it is failing, and returns all codes.
    func failAndEdit() async throws -> [String] {
        let twin = try context.insert(Airline.self)
        twin.code = "SK"
        airline = twin
        async let edited: Void = edit("edited")
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .identityConflict)
        await edited
        return try context.fetch(Airline.self, orderBy: \.code).map(\.code)
    }
}
