// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextMergingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func store() async throws -> (ManagedObjectStore, ManagedObjectID) {
        let store = try await files.open()
        let id = try await store.perform { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            let terminal = try context.insert(Terminal.self)
            terminal.number = 1
            airport.terminals = [terminal]
            try context.save()
            return airport.objectID
        }
        return (store, id)
    }

    @Test func takesCommitsWhenFetching() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.passengers = 9
        try await store.perform { context in
            let airport = try context.object(Airport.self, with: id)
            (airport.name, airport.passengers) = ("new", 5)
            try context.save()
        }
        #expect(airport.name == "Gardermoen")
        #expect(try context.fetch(Airport.self, where: { $0.name == "new" }) == [airport])
        #expect(airport.name == "new")
        #expect(airport.passengers == 9)
    }

    @Test func keepsValuesOfObjectDeletedElsewhere() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        let terminal = try #require(airport.terminals.first)
        try await store.perform { context in
            context.delete(try context.object(with: id))
            try context.save()
        }
        #expect(try context.fetch(Airport.self) == [])
        #expect(airport.objectState == .deleted)
        #expect((airport.code, airport.name) == ("OSL", "Gardermoen"))
        #expect(terminal.airport == nil)
        #expect(throws: PersistenceError.self) { try context.object(with: id) }
        // Changing it is an error of the next save only.
        airport.name = "new"
        terminal.airport = airport
        #expect(airport.name == "Gardermoen")
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(
            error?.validationErrors.map(\.code) == [.deletedObjectChanged, .deletedObjectChanged])
        #expect(error?.details.first == "\(id).name was set after it was deleted")
        try await context.save()
        #expect(try files.rows("SELECT airport FROM Terminal") == [["-"]])
    }

    @Test func namesChangedObjectDeletedElsewhere() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        airport.name = "new"
        try await store.perform { context in
            context.delete(try context.object(with: id))
            try context.save()
        }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .objectNotFound)
        #expect(error?.details.first?.hasPrefix("\(id) ") == true)
        #expect(airport.objectState == .deleted)
        #expect(airport.name == "new")
        // Deleting it as well, or the policy, resolves the conflict.
        context.delete(airport)
        try await context.save()
        #expect(!context.hasChanges)
    }

    @Test func storeWinsOverChangeOfDeletedObject() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        context.mergePolicy = .storeWins
        try context.object(Airport.self, with: id).name = "new"
        try await store.perform { context in
            context.delete(try context.object(with: id))
            try context.save()
        }
        #expect(try await context.save() == SaveReport())
        #expect(!context.hasChanges)
    }

    @Test func readsRowDeletedByOtherProgram() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        try files.execute("DELETE FROM Airport")
        context.refreshAllObjects()
        #expect(airport.name == "Gardermoen")
        #expect(airport.objectState == .deleted)
        #expect(try context.fetch(Airport.self) == [])
    }

    @Test func changesRelationshipsOfOtherContexts() async throws {
        let (store, id) = try await store()
        let context = store.makeContext()
        let airport = try context.object(Airport.self, with: id)
        #expect(airport.terminals.map(\.number) == [1])
        try await store.perform { context in
            let airport = try context.object(Airport.self, with: id)
            let terminal = try context.insert(Terminal.self)
            terminal.number = 2
            airport.terminals.insert(terminal)
            let airline = try context.insert(Airline.self)
            airline.code = "SK"
            terminal.airlines = [airline]
            try context.save()
        }
        context.refreshAllObjects()
        #expect(Set(airport.terminals.map(\.number)) == [1, 2])
        let terminal = try #require(airport.terminals.first { $0.number == 2 })
        #expect(terminal.airlines.map(\.code) == ["SK"])
        let terminalID = terminal.objectID
        try await store.perform { context in
            try context.object(Terminal.self, with: terminalID).airlines = []
            try context.save()
        }
        #expect(terminal.airlines.count == 1)
        context.refreshAllObjects()
        #expect(terminal.airlines == [])
    }

    /// One query reads the relationship of all objects of a fetch.
    @Test func readsRelationshipsOfFetchTogether() async throws {
        let store = try await files.open()
        try await store.perform { context in
            for number in 0..<10 {
                let city = try context.insert(City.self)
                city.name = "C\(number)"
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name, airport.city) = ("A\(number)", "n", city)
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                terminal.airport = airport
            }
            try context.save()
        }
        let context = store.makeContext()
        let airports = try context.fetch(Airport.self, orderBy: \.code)
        #expect(airports[0].terminals.map(\.number) == [0])
        #expect(airports[0].city?.name == "C0")
        // What another program changes afterwards has been read already.
        try files.execute(
            "UPDATE Terminal SET airport = NULL; UPDATE City SET name = 'x' || name")
        for (index, airport) in airports.enumerated() {
            #expect(airport.terminals.map(\.number) == [index])
            #expect(airport.city?.name == "C\(index)")
        }
        context.refreshAllObjects()
        #expect(airports.allSatisfy { $0.terminals.isEmpty })
        // The values of all objects are read again with those of the first.
        #expect(airports[0].name == "n")
        try files.execute("UPDATE Airport SET name = 'x'")
        #expect(airports.allSatisfy { $0.name == "n" })
    }

    @Test func readsOneSnapshot() async throws {
        let (store, id) = try await store()
        let names = try await store.read { context in
            let first = try context.fetch(Airport.self).map(\.name)
            try files.execute("UPDATE Airport SET name = 'new'")
            context.refreshAllObjects()
            let airport = try context.object(Airport.self, with: id)
            let second = airport.name
            airport.name = "what if"
            #expect(try context.fetch(Airport.self, where: { $0.name == "what if" }).count == 1)
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .readOnly)
            return first + [second]
        }
        #expect(names == ["Gardermoen", "Gardermoen"])
        #expect(try files.rows("SELECT name FROM Airport") == [["new"]])
    }
}
