// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct SaveReportTests {
    private typealias Changes = SaveReport.RelationshipChanges

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store with two airlines, which are partners, at one of two terminals.
    private func store() async throws -> (store: ManagedObjectStore, report: SaveReport) {
        let store = try await files.open()
        let report = try await store.perform { context in
            let airlines = try ["DY", "SK"].map { code in
                let airline = try context.insert(Airline.self)
                airline.code = code
                return airline
            }
            let terminals = try (1...2).map { number in
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                return terminal
            }
            terminals[0].airlines = Set(airlines)
            airlines[0].partners = [airlines[1]]
            return try context.save()
        }
        return (store, report)
    }

    private func linkRows() throws -> [[String]] {
        try files.rows(
            "SELECT (SELECT count(*) FROM Airline_terminals), "
                + "(SELECT count(*) FROM Airline_partners)")
    }

    @Test func countsInsertedRowsOfJoinTables() async throws {
        let (_, report) = try await store()
        #expect(report.inserted == 4)
        #expect(
            report.relationships == [
                Changes(entity: "Airline", relationship: "terminals", inserted: 2),
                Changes(entity: "Airline", relationship: "partners", inserted: 2),
            ])
        #expect(report.hasChanges)
        #expect(try linkRows() == [["2", "2"]])
    }

    @Test func countsReplacedRowsOfJoinTables() async throws {
        let (store, _) = try await store()
        let report = try await store.perform { context in
            let airline = try #require(
                try context.fetch(Airline.self, where: { $0.code == "SK" }).first)
            airline.terminals = Set(try context.fetch(Terminal.self, where: { $0.number == 2 }))
            return try context.save()
        }
        #expect(
            report
                == SaveReport(relationships: [
                    Changes(entity: "Airline", relationship: "terminals", inserted: 1, deleted: 1)
                ]))
        #expect(report.hasChanges)
    }

    @Test func countsChangesOfInverseOnce() async throws {
        let (store, _) = try await store()
        let report = try await store.perform { context in
            let terminal = try #require(
                try context.fetch(Terminal.self, where: { $0.number == 1 }).first)
            terminal.airlines = []
            return try context.save()
        }
        #expect(
            report.relationships == [
                Changes(entity: "Airline", relationship: "terminals", deleted: 2)
            ])
    }

    @Test func omitsRowsThatAreUnchanged() async throws {
        let (store, _) = try await store()
        let report = try await store.perform { context in
            for airline in try context.fetch(Airline.self) {
                let terminals = airline.terminals
                airline.terminals = []
                airline.terminals = terminals
            }
            return try context.save()
        }
        #expect(report == SaveReport())
        #expect(!report.hasChanges)
        #expect(try linkRows() == [["2", "2"]])
    }

    @Test func countsRowsOfDeletedObjects() async throws {
        let (store, _) = try await store()
        let report = try await store.perform { context in
            for airline in try context.fetch(Airline.self, where: { $0.code == "SK" }) {
                context.delete(airline)
            }
            return try context.save()
        }
        #expect(
            report
                == SaveReport(
                    deleted: 1,
                    relationships: [
                        Changes(entity: "Airline", relationship: "terminals", deleted: 1),
                        Changes(entity: "Airline", relationship: "partners", deleted: 2),
                    ]))
        #expect(try linkRows() == [["1", "0"]])
    }

    @Test func countsRowsOfDeletedDestinations() async throws {
        let (store, _) = try await store()
        let report = try await store.perform { context in
            for terminal in try context.fetch(Terminal.self) { context.delete(terminal) }
            return try context.save()
        }
        #expect(report.deleted == 2)
        #expect(
            report.relationships == [
                Changes(entity: "Airline", relationship: "terminals", deleted: 2)
            ])
    }

    @Test func countsRowsOfImports() async throws {
        let store = try await files.open()
        let first = try await files.load(AirportDocuments.oslo, into: store).saved
        #expect(
            first.relationships == [
                Changes(entity: "Airline", relationship: "terminals", inserted: 3)
            ])
        let second = try await files.load(AirportDocuments.oslo, into: store).saved
        #expect(second.relationships == [])
        let changed = #"[{"code":"OSL","terminals":[{"number":1,"airlines":[{"code":"DY"}]}]}]"#
        let third = try await files.load(changed, into: store).saved
        #expect(
            third.relationships == [
                Changes(entity: "Airline", relationship: "terminals", inserted: 1, deleted: 1)
            ])
    }

    @Test func hasChangesForEveryKindOfRow() {
        #expect(!SaveReport(unchanged: 3).hasChanges)
        #expect(SaveReport(inserted: 1).hasChanges)
        #expect(SaveReport(updated: 1).hasChanges)
        #expect(SaveReport(deleted: 1).hasChanges)
    }
}
