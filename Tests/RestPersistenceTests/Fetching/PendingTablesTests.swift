// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Fetches with random predicates in a context with random unsaved changes return the same objects,
/// in the same order, as after saving the changes.
@Suite struct PendingTablesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(arguments: 0..<16)
    func fetchesAsIfChangesWereSaved(_ seed: Int) async throws {
        let store = try await files.open(TownEntities.all)
        var town = TownGenerator(SeededGenerator(state: UInt64(seed)))
        var counted = 0
        try await store.perform { context in
            var town = TownGenerator(SeededGenerator(state: UInt64(seed + 1000)))
            try town.build(in: context)
            try context.save()
        }
        for round in 0..<4 {
            let generator = town
            (town, counted) = try await store.perform { context in
                var town = generator
                // The writes of a deletion may conflict with changes of references to the object.
                context.mergePolicy = .contextWins
                try town.change(in: context, count: 6)
                let requests = try (0..<40).map { _ in try town.request(in: context) }
                // The first fetches fill the temporary tables, and the later changes update them.
                for request in requests.prefix(10) { _ = try context.fetchIDs(request) }
                try town.change(in: context, count: Int.random(in: 0..<8, using: &town.random))
                let pending = try requests.map { try context.fetchIDs($0).map(\.key) }
                let counts = try requests.map { try context.count($0) }
                let objects = try requests.map { try context.fetch($0).map(\.objectID.key) }
                let values = try requests.map { try Self.rows($0, context) }
                #expect(counts == pending.map(\.count))
                #expect(objects == pending)
                try context.save()
                for (index, request) in requests.enumerated() {
                    let saved = try context.fetchIDs(request).map(\.key)
                    #expect(
                        saved == pending[index], "seed \(seed), round \(round): \(request)")
                    #expect(try context.count(request) == counts[index])
                    #expect(try Self.rows(request, context) == values[index])
                }
                return (town, pending.count { !$0.isEmpty })
            }
            #expect(counted > 0)
        }
    }

    private static func rows(
        _ request: FetchRequest, _ context: ManagedObjectContext
    ) throws -> [[String]] {
        let paths = ["name", "age", "house.city", "house.owner.name", "property.size"]
        return try context.fetchValues(request, of: paths).map { row in
            ["\(row.objectID)"] + paths.map { String(describing: row.storedValues[$0]) }
        }
    }

    @Test func reflectsCommitsOfOtherContexts() async throws {
        let store = try await files.open()
        try await store.perform { context in
            for code in ["A", "B", "C"] {
                let airport = try context.insert(Airport.self)
                airport.code = code
                airport.name = "old"
            }
            try context.save()
        }
        try await Self.changePassengers(in: store)
        try await store.perform { context in
            for airport in try context.fetch(Airport.self, where: { $0.code != "C" }) {
                airport.name = "new"
            }
            try context.save()
        }
        // The unsaved change is to another column of a row that another context has changed.
        #expect(try await Self.names(in: store) == ["A new 7", "B new 0", "C old 0"])
    }

    @MainActor private static func changePassengers(in store: ManagedObjectStore) throws {
        let context = store.mainContext
        try context.first(Airport.self, where: { $0.code == "A" })?.passengers = 7
        #expect(try context.count(Airport.self, where: { $0.passengers == 7 }) == 1)
    }

    @MainActor private static func names(in store: ManagedObjectStore) throws -> [String] {
        try store.mainContext.fetchValues(
            of: Airport.self, { ($0.code, $0.name, $0.passengers) }, orderBy: [.ascending(\.code)]
        ).map { "\($0) \($1) \($2)" }
    }

    @Test func leavesFileUnchangedByFetches() async throws {
        let store = try await files.open()
        let found = try await store.perform { context in
            defer { context.rollback() }
            try context.insert(Airline.self).code = "SK"
            return try context.count(Airline.self, where: { $0.code == "SK" })
        }
        #expect(found == 1)
        #expect(try files.rows("SELECT count(*) FROM Airline") == [["0"]])
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'restkit_pending%'")
                == [])
    }

    /// The parent has inserted the object, so that no save would delete its row.
    @Test func childCountsNoMemberThatItDrops() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let airline = try parent.insert(Airline.self)
        airline.code = "SK"
        airline.terminals = [try parent.insert(Terminal.self)]
        let child = parent.child()
        let terminal = try child.fetch(Terminal.self)[0]
        #expect(try child.count(Airline.self, where: { $0.terminals.count == 0 }) == 0)
        child.delete(terminal)
        #expect(try child.count(Airline.self, where: { $0.terminals.count == 0 }) == 1)
    }

    @Test func fetchedReferenceToDeletedObjectIsNull() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            let terminal = try context.insert(Terminal.self)
            (terminal.number, terminal.airport) = (1, airport)
            try context.save()
            context.delete(airport)
            #expect(try context.fetch(Terminal.self) == [terminal])
            terminal.airport = nil
            #expect(terminal.objectState == .saved)
            #expect(context.updatedObjects == [])
        }
    }

    @Test func ignoresPendingChangesOnRequest() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            let airline = try context.insert(Airline.self)
            airline.code = "SK"
            try context.save()
            airline.code = "SAS"
            try context.insert(Airline.self).code = "DY"
            var request = FetchRequest("Airline", where: .attribute("code", .equal, "SK"))
            #expect(try context.count(request) == 0)
            request.includesPendingChanges = false
            #expect(try context.count(request) == 1)
            // The row is found by its saved value; the object keeps the unsaved one.
            #expect(try context.fetch(request).first === airline)
            #expect(airline.code == "SAS")
            #expect(
                try context.fetchValues(request, of: ["code"]).map { try $0.value("code") }
                    == ["SK"])
        }
    }

    @Test func recoversFromFailedFetch() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            for code in ["SK", "DY"] { try context.insert(Airline.self).code = code }
            #expect(try context.count(Airline.self) == 2)
            for number in 0..<2 {
                let terminal = try context.insert(Terminal.self)
                terminal.number = number == 0 ? .max : 1
            }
            // The sum exceeds 64 bits, so that SQLite fails after the tables were filled.
            let error = #expect(throws: PersistenceError.self) {
                try context.sum(\Terminal.number)
            }
            #expect(error?.code == .databaseFailure)
            #expect(try context.count(Airline.self, where: { $0.code == "DY" }) == 1)
            #expect(try context.count(Terminal.self, where: { $0.number == 1 }) == 1)
        }
    }
}
