// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextSavingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func writesObjectsIntoTables() async throws {
        let store = try await files.open()
        let report = try await store.perform { context in
            let oslo = try context.insert(City.self)
            oslo.name = "Oslo"
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Gardermoen"
            airport.openedAt = Date(timeIntervalSince1970: 907_804_800.25)
            airport.city = oslo
            let terminal = try context.insert(Terminal.self)
            terminal.number = 1
            airport.terminals = [terminal]
            #expect(terminal.airport === airport)
            return try context.save()
        }
        #expect(report.inserted == 3)
        let rows = try files.rows(
            """
            SELECT code, Airport.name, openedAt, passengers, City.name, number FROM Airport
            JOIN City ON City.restkit_key = Airport.city
            JOIN Terminal ON Terminal.airport = Airport.restkit_key
            """)
        #expect(
            rows == [["OSL", "Gardermoen", "1998-10-08T00:00:00.250000Z", "0", "Oslo", "1"]])
    }

    /// Returns a store with an airline for each code.
    private func store(_ codes: String...) async throws -> ManagedObjectStore {
        let store = try await files.open()
        try await store.perform { context in
            for code in codes { try context.insert(Airline.self).code = code }
            try context.save()
        }
        return store
    }

    /// A program changes an object of one context and saves another one.
    @Test func reportCountsOtherChangedContexts() async throws {
        let store = try await store("SK")
        try await MainActor.run {
            let (edited, saved) = (store.makeContext(), store.mainContext)
            let airline = try #require(try edited.first(Airline.self))
            #expect(try saved.save().otherChangedContexts == 0)

            airline.alliance = .star
            #expect(try saved.save() == Self.nothing(otherChangedContexts: 1))
            let child = edited.child()
            #expect(try child.save().otherChangedContexts == 0)
            try child.insert(Airline.self).code = "DY"
            #expect(try saved.save().otherChangedContexts == 2)

            // A save with changes of its own has not been mistaken for another one.
            try saved.insert(Airline.self).code = "AY"
            #expect(try saved.save().otherChangedContexts == 0)

            edited.delete(airline)
            edited.rollback()
            #expect(try saved.save().otherChangedContexts == 1)
            try child.save()
            #expect(try edited.save().otherChangedContexts == 0)
            #expect(try saved.save() == SaveReport())
        }
    }

    private static func nothing(otherChangedContexts count: Int) -> SaveReport {
        var report = SaveReport()
        report.otherChangedContexts = count
        return report
    }

    @Test func writesOnlyChangedRows() async throws {
        let store = try await store("SK", "DY")
        let observer = try files.observer()
        let version = try observer.dataVersion()
        let report = try await store.perform { context in
            for airline in try context.fetch(Airline.self) {
                let code = airline.code
                airline.code = code
                #expect(airline.objectState == .saved)
                airline.alliance = .star
                #expect(airline.objectState == .updated)
                airline.alliance = nil
                #expect(airline.objectState == .saved)
            }
            return try context.save()
        }
        #expect(report == SaveReport())
        #expect(try observer.dataVersion() == version)
    }

    @Test func failedSaveLeavesContextAndFileUnchanged() async throws {
        let store = try await store("SK")
        let before = try files.rows("SELECT * FROM Airline")
        try await store.perform { context in
            let airline = try #require(try context.fetch(Airline.self).first)
            airline.alliance = .star
            let new = try context.insert(Airline.self)
            new.code = "DY"
            let twin = try context.insert(Airline.self)
            twin.code = "SK"
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .identityConflict)
            #expect(error?.description.contains("SK") == false)
            #expect(error?.conflicts.map(\.description) == ["\(twin.objectID).code"])
            #expect(error?.description.contains("UNIQUE") == false)
            #expect(context.hasChanges)
            #expect(airline.alliance == .star)
            #expect(airline.objectState == .updated)
            #expect(new.objectState == .inserted)
            // The other changes can still be saved.
            context.delete(twin)
            #expect(try context.save() == SaveReport(inserted: 1, updated: 1))
        }
        #expect(before.count == 1)
        #expect(
            try files.rows("SELECT code, alliance FROM Airline ORDER BY 1")
                == [["DY", "-"], ["SK", "star"]])
    }

    @Test func rollsBackWhenLaterStatementFails() async throws {
        let store = try await store("SK")
        try await store.perform { context in
            defer { context.rollback() }
            try context.insert(City.self).name = "Oslo"
            try context.insert(Airline.self).code = "SK"
            #expect(throws: PersistenceError.self) { try context.save() }
        }
        #expect(try files.rows("SELECT * FROM City") == [])
        #expect(try files.rows("SELECT code FROM Airline") == [["SK"]])
    }

    @Test func reportsEveryMissingValue() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            let airport = try context.insert(Airport.self)
            let city = try context.insert(City.self)
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .invalidObject)
            #expect(
                error?.details == [
                    "\(airport.objectID).code has no value",
                    "\(airport.objectID).name has no value",
                    "\(city.objectID).name has no value",
                ])
        }
    }

    @Test func reusesIdentityOfDeletedObject() async throws {
        let store = try await store("SK")
        let report = try await store.perform { context in
            context.delete(try #require(try context.fetch(Airline.self).first))
            try context.insert(Airline.self).code = "SK"
            return try context.save()
        }
        #expect(report == SaveReport(inserted: 1, deleted: 1))
    }

    @Test func throwsForDeletedRow() async throws {
        let store = try await store("SK")
        try await store.perform { context in
            defer { context.rollback() }
            let airline = try #require(try context.fetch(Airline.self).first)
            airline.alliance = .star
            try files.execute("DELETE FROM Airline")
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .objectNotFound)
            #expect(error?.description.contains("\(airline.objectID)") == true)
            #expect(airline.objectState == .updated)
        }
    }

    @Test func removesReferencesToDeletedObject() async throws {
        let store = try await files.open()
        try await store.perform { context in
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "n"
            let terminals = try (1...3).map { number in
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                return terminal
            }
            airport.terminals = [terminals[0], terminals[1]]
            try context.save()
            terminals[2].airport = airport
            #expect(airport.terminals.count == 3)
            context.delete(airport)
            #expect(terminals.allSatisfy { $0.airport == nil })
            #expect(try context.fetch(Terminal.self, where: { $0.airport == nil }).count == 3)
            try context.save()
            #expect(terminals.allSatisfy { $0.airport == nil })
        }
        #expect(
            try files.rows("SELECT number, airport FROM Terminal ORDER BY 1")
                == [["1", "-"], ["2", "-"], ["3", "-"]])
    }

    @Test func updatesInversesImmediately() async throws {
        let store = try await files.open()
        try await store.perform { context in
            let (sk, dy) = (try context.insert(Airline.self), try context.insert(Airline.self))
            let terminal = try context.insert(Terminal.self)
            (sk.code, dy.code, terminal.number) = ("SK", "DY", 1)
            terminal.airlines = [sk, dy]
            #expect(sk.terminals == [terminal])
            sk.partners = [dy]
            #expect(dy.partners == [sk])
            try context.save()
            sk.terminals = []
            #expect(terminal.airlines == [dy])
            dy.partners = []
            #expect(sk.partners == [])
            let (oslo, bergen) = (try context.insert(City.self), try context.insert(City.self))
            let anne = try context.insert(Mayor.self)
            (oslo.name, bergen.name, anne.name) = ("Oslo", "Bergen", "Anne")
            oslo.mayor = anne
            #expect(anne.city === oslo)
            anne.city = bergen
            #expect(oslo.mayor == nil)
            #expect(bergen.mayor === anne)
            try context.save()
        }
        #expect(
            try files.rows(
                "SELECT code FROM Airline_terminals JOIN Airline ON source = restkit_key")
                == [["DY"]])
        #expect(try files.rows("SELECT * FROM Airline_partners") == [])
        #expect(try files.rows("SELECT name FROM City WHERE mayor NOT NULL") == [["Bergen"]])
    }

    @Test func keepsChangesOfReleasedObject() async throws {
        let store = try await store("SK")
        try await store.perform { context in
            try context.fetch(Airline.self).first?.alliance = .oneworld
            #expect(try context.fetch(Airline.self).first?.alliance == .oneworld)
            try context.save()
        }
        #expect(try files.rows("SELECT alliance FROM Airline") == [["oneworld"]])
    }

    @Test func hasOneObjectForRow() async throws {
        let store = try await store("SK")
        try await store.perform { context in
            let first = try #require(try context.fetch(Airline.self).first)
            #expect(try context.fetch(Airline.self).first === first)
            #expect(try context.object(Airline.self, with: first.objectID) === first)
            #expect(try context.objects(Airline.self, with: [first.objectID]) == [first])
        }
    }

    @Test func rollbackDiscardsChanges() async throws {
        let store = try await store("SK", "DY")
        try await store.perform { context in
            let objects = try context.fetch(Airline.self, orderBy: \.code)
            objects[0].code = "XX"
            context.delete(objects[1])
            let new = try context.insert(Airline.self)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(objects[0].code == "DY")
            #expect(objects[1].objectState == .saved)
            #expect(new.objectState == .deleted)
            #expect(try context.fetch(Airline.self).count == 2)
        }
    }

    @MainActor
    @Test func mainContextShowsSavedChanges() async throws {
        let store = try await store("SK")
        let context = store.mainContext
        let airline = try #require(try context.fetch(Airline.self).first)
        let id = airline.objectID
        try await store.perform { context in
            try context.object(Airline.self, with: id).alliance = .star
            try context.save()
        }
        #expect(try context.objects(Airline.self, with: [id]).first === airline)
        #expect(airline.alliance == .star)
    }
}
