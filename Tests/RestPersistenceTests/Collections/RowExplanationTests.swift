// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The writes of rows that a store records for some entities.
@Suite struct RowExplanationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open(_ explained: Set<String>) async throws -> ManagedObjectStore {
        try await files.open(StoreConfiguration(explainedEntities: explained))
    }

    private static func write(_ path: String, _ seconds: TimeInterval = 0) -> ResponseWrite {
        ResponseWrite(
            method: "GET", url: "https://example.org/\(path)", status: 200, mappingVersion: "v1",
            at: Date(timeIntervalSince1970: seconds))
    }

    private static let tables =
        "SELECT name FROM sqlite_schema WHERE name IN ('restkit_write', 'restkit_explanation')"

    @Test func nothingIsRecordedByDefault() async throws {
        let store = try await open([])
        let id = try await store.insertAirline("SK")
        try await store.write { context in
            try context.objects(Airline.self, with: [id])[0].alliance = .star
            context.recordOrigin(Self.write("airlines"))
        }
        #expect(try await store.explain(id) == nil)
        #expect(try files.rows(Self.tables).isEmpty)
    }

    @Test func otherEntitiesAreNotRecorded() async throws {
        let store = try await open(["Airport"])
        let id = try await store.insertAirline("SK")
        #expect(try await store.explain(id) == nil)
        #expect(try files.rows(Self.tables).isEmpty)
    }

    @Test func unknownEntityIsError() async throws {
        let error = await #expect(throws: PersistenceError.self) { try await open(["Plane"]) }
        #expect(error?.code == .unknownEntity)
    }

    @Test func propertiesHaveTheirLastWrites() async throws {
        let store = try await open(["Airport"])
        let id = try await store.write { context in
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Oslo"
            context.recordOrigin(Self.write("airports?page=2", 100))
            return airport.objectID
        }
        let first = try #require(try await store.explain(id))
        let insertion = try #require(first.insertion)
        #expect(first.objectID == id && first.changes.isEmpty)
        #expect(insertion.date == Date(timeIntervalSince1970: 100))
        #expect(insertion.response?.method == "GET" && insertion.response?.status == 200)
        #expect(insertion.response?.url == "https://example.org/airports?page=2")
        #expect(insertion.response?.mappingVersion == "v1")
        // The query may be confidential.
        #expect(insertion.response?.description == "GET https://example.org/airports?… 200")
        try await store.write { context in
            try context.objects(Airport.self, with: [id])[0].passengers = 5
            context.recordOrigin(Self.write("airports/OSL", 200))
        }
        try await store.write { try $0.objects(Airport.self, with: [id])[0].name = "Local" }
        let later = try #require(try await store.explain(id))
        #expect(Set(later.changes.keys) == ["passengers", "name"])
        #expect(later.write(of: "passengers")?.response?.url == "https://example.org/airports/OSL")
        #expect(later.write(of: "code") == insertion)
        let local = try #require(later.write(of: "name"))
        #expect(local.response == nil && local.date > Date(timeIntervalSince1970: 200))
    }

    @Test func replacedWritesAreRemoved() async throws {
        let store = try await open(["Airline"])
        let id = try await store.insertAirline("SK")
        for (index, alliance) in [Airline.Alliance.star, .oneworld, .star].enumerated() {
            try await store.write { context in
                try context.objects(Airline.self, with: [id])[0].alliance = alliance
                context.recordOrigin(Self.write("\(index)"))
            }
        }
        #expect(
            try files.rows(
                "SELECT s.origin || w.target FROM restkit_write AS w "
                    + "LEFT JOIN restkit_write_source AS s ON s.id = w.source ORDER BY w.id") == [
                    ["-"], ["https://example.org/2"],
                ])
        try await store.write { $0.delete(try $0.object(with: id)) }
        #expect(try await store.explain(id) == nil)
        #expect(try files.rows("SELECT * FROM restkit_write").isEmpty)
        #expect(try files.rows("SELECT * FROM restkit_explanation").isEmpty)
        #expect(try files.rows("SELECT * FROM restkit_insertion").isEmpty)
    }

    @Test func insertionsOfImportAreRangeWithoutDeletedRows() async throws {
        let store = try await open(["Airline"])
        let ids = try await store.write { context in
            let ids = try (0..<6).map { number in
                let airline = try context.insert(Airline.self)
                airline.code = "A\(number)"
                return airline.objectID
            }
            context.recordOrigin(Self.write("airlines"))
            return ids
        }
        #expect(try files.rows("SELECT last - first FROM restkit_insertion") == [["5"]])
        try await store.write { context in
            for index in [0, 2, 3] { context.delete(try context.object(with: ids[index])) }
        }
        #expect(
            try files.rows("SELECT last - first FROM restkit_insertion ORDER BY first")
                == [["0"], ["1"]])
        for (index, id) in ids.enumerated() {
            let url = try await store.explain(id)?.insertion?.response?.url
            #expect(url == ([0, 2, 3].contains(index) ? nil : "https://example.org/airlines"))
        }
        #expect(try files.rows("SELECT count(*) FROM restkit_write") == [["1"]])
        try await store.write { context in
            for index in [1, 4, 5] { context.delete(try context.object(with: ids[index])) }
        }
        #expect(try files.rows("SELECT * FROM restkit_write").isEmpty)
    }

    @Test func importAndLocalChangesOfOneSaveDiffer() async throws {
        let store = try await open(["Airline"])
        let context = store.makeContext()
        let local = try context.insert(Airline.self)
        local.code = "LO"
        let childIDs = try await context.performChild { child in
            let airline = try child.insert(Airline.self)
            airline.code = "SK"
            child.recordOrigin(Self.write("airlines"))
            try child.save()
            return airline.objectID
        }
        try await context.save()
        #expect(try await store.explain(local.objectID)?.insertion?.response == nil)
        #expect(try await store.explain(local.objectID) != nil)
        #expect(
            try await store.explain(childIDs)?.insertion?.response?.url
                == "https://example.org/airlines")
    }

    @Test func eachPropertyHasItsLastImport() async throws {
        let store = try await open(["Airport"])
        let context = store.makeContext()
        let id = try await context.performChild { child in
            let airport = try child.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "first")
            child.recordOrigin(Self.write("1"))
            try child.save()
            return airport.objectID
        }
        for number in 2...3 {
            try await context.performChild { child in
                let airport = try child.object(Airport.self, with: id)
                if number == 2 { airport.name = "second" }
                airport.passengers = number
                child.recordOrigin(Self.write("\(number)"))
                try child.save()
            }
        }
        try await context.save()
        let explanation = try #require(try await store.explain(id))
        let urls = ["code", "name", "passengers"].map {
            explanation.write(of: $0)?.response?.url.last
        }
        #expect(urls == ["1", "2", "3"])
        #expect(explanation.insertion?.response?.url.last == "1")
        #expect(Set(explanation.changes.keys) == ["name", "passengers"])
    }

    @Test func rolledBackImportLeavesNoRecord() async throws {
        let store = try await open(["Airline"])
        await #expect(throws: CancellationError.self) {
            try await store.write { context in
                try context.insert(Airline.self).code = "SK"
                context.recordOrigin(Self.write("airlines"))
                try context.save()
                throw CancellationError()
            }
        }
        #expect(try files.rows(Self.tables).isEmpty)
    }

    @Test func recordsOfOtherEntitiesAreRemovedByOpening() async throws {
        let store = try await open(["Airline", "Airport"])
        let airline = try await store.insertAirline("SK")
        let airport = try await store.write { context in
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Oslo"
            return airport.objectID
        }
        try store.close()
        let less = try await open(["Airport"])
        #expect(try await less.explain(airline) == nil)
        #expect(try await less.explain(airport) != nil)
        try less.close()
        // A record that had missed changes would be wrong.
        let again = try await open(["Airline"])
        #expect(try await again.explain(airline) == nil)
        #expect(try files.rows("SELECT * FROM restkit_write").isEmpty)
    }
}
