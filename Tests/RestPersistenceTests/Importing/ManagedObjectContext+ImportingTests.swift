// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextImportingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(.parity("P202")) func importsConnectedRows() async throws {
        let store = try await files.open()
        let (result, saved) = try await files.load(AirportDocuments.oslo, into: store)
        #expect(result.objectIDs.map(\.entityName) == ["Airport", "Airport"])
        #expect(result.total.inserted == 9)
        #expect(result.total.found == 0)
        #expect(saved.inserted == 9)
        #expect(result.report.issues.isEmpty)
        let rows = try files.rows(
            """
            SELECT Airport.code, openedAt, City.name, population, Mayor.name, number, Airline.code,
                alliance
            FROM Airport JOIN City ON Airport.city = City.restkit_key
            LEFT JOIN Mayor ON City.mayor = Mayor.restkit_key
            LEFT JOIN Terminal ON Terminal.airport = Airport.restkit_key
            LEFT JOIN Airline_terminals ON Airline_terminals.target = Terminal.restkit_key
            LEFT JOIN Airline ON Airline_terminals.source = Airline.restkit_key
            ORDER BY Airport.code, number, Airline.code
            """)
        let opened = "1998-10-08T00:00:00.000000Z"
        #expect(
            rows == [
                ["BGO", "-", "Bergen", "-", "-", "-", "-", "-"],
                ["OSL", opened, "Oslo", "709037", "Anne", "1", "SK", "star"],
                ["OSL", opened, "Oslo", "709037", "Anne", "2", "DY", "-"],
                ["OSL", opened, "Oslo", "709037", "Anne", "2", "SK", "star"],
            ])
    }

    @Test(.parity("P136", "SM13", "SM15")) func findsSavedObjectsByIdentity() async throws {
        let store = try await files.open()
        let first = try await files.load(AirportDocuments.oslo, into: store)
        let second = try await files.load(
            #"[{"code": "OSL", "name": "Oslo Airport"}]"#, into: store)
        #expect(second.result.objectIDs == [first.result.objectIDs[0]])
        #expect(second.result.total.found == 1)
        #expect(second.saved == SaveReport(updated: 1))
        // Missing keys keep the values.
        #expect(
            try files.rows("SELECT code, name, openedAt IS NULL FROM Airport ORDER BY code") == [
                ["BGO", "Flesland", "1"], ["OSL", "Oslo Airport", "0"],
            ])
        #expect(try files.rows("SELECT count(*) FROM Terminal WHERE airport NOT NULL") == [["2"]])
    }

    @Test(.parity("SM15")) func findsUnsavedObjectsOfContext() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(
            parsing: """
                [{"code": "TRF", "name": "Torp"}, {"code": "XXX", "name": "Renamed"},
                 {"code": "OSL", "name": "New"}, {"code": "BGO", "name": "Again"}]
                """)
        try await store.perform { context in
            let inserted = try context.insert(Airport.self)
            inserted.code = "TRF"
            inserted.passengers = 3
            // An unsaved identity counts, and the saved one no longer does.
            let renamed = try #require(
                try context.fetch(Airport.self, where: { $0.code == "OSL" }).first)
            renamed.code = "XXX"
            let deleted = try #require(
                try context.fetch(Airport.self, where: { $0.code == "BGO" }).first)
            let deletedID = deleted.objectID
            context.delete(deleted)

            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.total.found == 2)
            #expect(result.total.inserted == 2)
            #expect(result.objectIDs[0] == inserted.objectID)
            #expect(result.objectIDs[1] == renamed.objectID)
            #expect(result.objectIDs[3] != deletedID)
            #expect(Set(result.objectIDs).count == 4)
            #expect((inserted.name, inserted.passengers) == ("Torp", 3))
            #expect(renamed.name == "Renamed")
            try context.save()
        }
        #expect(
            try files.rows("SELECT code, name, passengers FROM Airport ORDER BY code") == [
                ["BGO", "Again", "0"], ["OSL", "New", "0"], ["TRF", "Torp", "3"],
                ["XXX", "Renamed", "0"],
            ])
    }

    @Test(.parity("K029")) func writesNoRowForUnchangedDocument() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let observer = try files.observer()
        let before = try observer.dataVersion()
        let (result, saved) = try await files.load(AirportDocuments.oslo, into: store)
        let after = try observer.dataVersion()
        #expect(result.total.found == 9)
        #expect(result.total.inserted == 0)
        #expect(saved == SaveReport(unchanged: 9))
        // Nothing was committed: another connection sees the same version.
        #expect(before == after)
    }

    @Test(.threat("T51")) func assignsDeclaredPropertiesOnly() async throws {
        let store = try await files.open()
        let hostile = """
            [{"code": "OSL", "name": "n", "restkit_key": 77, "description": "x", "hash": 1,
              "objectID": 5, "__proto__": {"name": "y"}, "restkit_x": 1, "CODE": "no",
              "values": [], "city_key": 9, "context": null, "passengers": 3}]
            """
        let (result, _) = try await files.load(hostile, into: store)
        #expect(result.report.issues.isEmpty)
        #expect(
            try files.rows("SELECT * FROM Airport")
                == [["\(result.objectIDs[0].key)", "OSL", "n", "-", "3", "-"]])
        #expect(result.objectIDs[0].key != 77)
    }

    @Test func replacesToManyRelationships() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        _ = try await files.load(
            """
            [{"code": "OSL", "name": "n", "terminals": [{"number": 2, "airlines": []}]},
             {"code": "BGO", "name": "f", "terminals": [{"number": 1}, {"number": 3}]}]
            """, into: store)
        #expect(
            try files.rows(
                """
                SELECT number, code FROM Terminal LEFT JOIN Airport
                ON airport = Airport.restkit_key ORDER BY 1
                """) == [["1", "BGO"], ["2", "OSL"], ["3", "BGO"]])
        #expect(
            try files.rows(
                """
                SELECT number, code FROM Airline_terminals
                JOIN Terminal ON target = Terminal.restkit_key
                JOIN Airline ON source = Airline.restkit_key
                """) == [["1", "SK"]])
        _ = try await files.load(
            #"[{"code": "OSL", "name": "n", "terminals": [], "city": null}]"#, into: store)
        #expect(
            try files.rows("SELECT number FROM Terminal WHERE airport IS NULL") == [["2"]])
        #expect(try files.rows("SELECT code FROM Airport WHERE city IS NULL") == [["OSL"]])
    }

    @Test func movesOneToOneRelationship() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        _ = try await files.load(
            #"[{"code": "BGO", "name": "f", "city": {"name": "Bergen", "mayor": {"name": "Anne"}}}]"#,
            into: store)
        #expect(
            try files.rows("SELECT name FROM City WHERE mayor NOT NULL") == [["Bergen"]])
    }

    @Test func findsUnsavedObjects() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(parsing: AirportDocuments.oslo)
        try await store.perform { context in
            let own = try context.insert(Airport.self)
            own.code = "OSL"
            own.name = "mine"
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.objectIDs[0] == own.objectID)
            #expect(own.name == "Gardermoen")
            #expect(own.terminals.count == 2)
            let again = try context.importObjects(from: document.root, by: plan)
            #expect(again.objectIDs == result.objectIDs)
            #expect(again.total.inserted == 0)
            try context.save()
        }
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["2"]])
    }

    @Test func failedImportLeavesContextAndFileUnchanged() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let before = try files.rows("SELECT * FROM Airport")
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(
            parsing: #"[{"code": "OSL", "name": "changed"}, {"code": "TRD"}]"#)
        try await store.perform { context in
            let oslo = try #require(
                try context.fetch(Airport.self, where: { $0.code == "OSL" }).first)
            oslo.passengers = 5
            let error = #expect(throws: PersistenceError.self) {
                try context.importObjects(from: document.root, by: plan)
            }
            #expect(error?.code == .invalidObject)
            #expect(error?.details == ["missingValue at [1]: Airport.name"])
            #expect(oslo.name == "Gardermoen")
            #expect(oslo.passengers == 5)
            context.rollback()
            #expect(!context.hasChanges)
        }
        #expect(try files.rows("SELECT * FROM Airport") == before)
    }

    @Test func dropsInvalidObjectsIfPolicyAllows() async throws {
        let store = try await files.open()
        let (result, _) = try await files.load(
            """
            [{"code": "OSL", "name": "n"}, {"code": "TRD"}, 5, {"code": "BGO", "name": "b",
              "terminals": [{"number": "many"}, {"number": 4}, "x"]}]
            """, into: store, policy: .lenient)
        #expect(result.objectIDs.count == 2)
        #expect(try files.rows("SELECT code FROM Airport ORDER BY 1") == [["BGO"], ["OSL"]])
        #expect(try files.rows("SELECT number FROM Terminal") == [["4"]])
        let places = result.report.issues.map(\.path.description).sorted()
        #expect(
            places == [
                "[1]", "[2]", "[3].terminals[0]", "[3].terminals[0].number", "[3].terminals[2]",
            ])
    }

    @Test func rejectsValuesThatSwiftTypeCannotRepresent() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airline.self), in: store.model)
        let document = try Document(parsing: #"[{"code": "SK", "alliance": "moon"}]"#)
        try await store.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.report.issues.map(\.code) == [.malformedValue])
            let airline = try context.object(Airline.self, with: result.objectIDs[0])
            #expect(airline.alliance == nil)
        }
    }

    @Test func importsOverlappingDocumentsConcurrentlyWithoutDuplicates() async throws {
        let store = try await files.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<10 {
                        let codes = (0..<50).map { ($0 * 7 + task + round) % 60 }
                        let text =
                            "["
                            + codes.map { #"{"code": "A\#($0)", "name": "n\#(task)"}"# }
                            .joined(separator: ",") + "]"
                        _ = try await files.load(text, into: store)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try files.rows("SELECT count(*), count(DISTINCT code) FROM Airport") == [["60", "60"]])
    }
}
