// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextAggregatesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Inserts four airports of two cities, of which the last ones are not saved.
    private func fill(_ context: ManagedObjectContext) throws {
        let oslo = try context.insert(City.self)
        (oslo.name, oslo.population) = ("Oslo", 700)
        let hamar = try context.insert(City.self)
        hamar.name = "Hamar"
        for (index, code) in ["A", "B", "C", "D"].enumerated() {
            if index == 2 { try context.save() }
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = (code, "Airport \(code)")
            airport.passengers = [5, 7, 1, 20][index]
            airport.city = index == 0 ? hamar : oslo
        }
    }

    @Test func aggregatesSavedAndUnsavedRows() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            try fill(context)
            #expect(try context.count(Airport.self) == 4)
            #expect(try context.count(Airport.self, where: { $0.city.name == "Oslo" }) == 3)
            #expect(try context.sum(\Airport.passengers) == 33)
            #expect(try context.sum(\Airport.passengers, where: { $0.city.name == "Oslo" }) == 28)
            #expect(try context.average(\Airport.passengers) == 8.25)
            #expect(try context.minimum(\Airport.passengers) == 1)
            #expect(try context.maximum(\Airport.passengers) == 20)
            #expect(try context.maximum(\Airport.code, where: { $0.passengers < 20 }) == "C")
            #expect(try context.sum(\City.population) == 700)
            #expect(try context.minimum(\Airport.passengers, where: { _ in .none }) == nil)
            #expect(try context.average(\Airport.passengers, where: { _ in .none }) == nil)
            #expect(try context.sum(\Airport.passengers, where: { _ in .none }) == 0)
        }
    }

    @Test func countsWithinLimits() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            try fill(context)
            for (limit, offset, expected) in [(3, 0, 3), (3, 2, 2), (0, 0, 0), (9, 9, 0)] {
                let request = FetchRequest("Airport", limit: limit, offset: offset)
                #expect(try context.count(request) == expected)
                #expect(try context.fetchIDs(request).count == expected)
            }
        }
    }

    @Test func projectsAttributes() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            try fill(context)
            let rows = try context.fetchValues(
                of: Airport.self, { ($0.code, $0.city.name, $0.city.population) },
                where: { $0.passengers > 1 }, orderBy: [.descending(\.passengers)])
            #expect(rows.map(\.0) == ["D", "B", "A"])
            #expect(rows.map(\.1) == ["Oslo", "Oslo", "Hamar"])
            #expect(rows.map(\.2) == [700, 700, nil])
            let error = #expect(throws: PersistenceError.self) {
                try context.fetchValues(of: City.self, { ($0.name, $0.mayor.name) })
            }
            #expect(error?.code == .unknownProperty)
        }
    }

    @Test func ordersByPathsCountsAndFoldedText() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
            try fill(context)
            let airport = try #require(try context.first(Airport.self, where: { $0.code == "C" }))
            airport.terminals = [try context.insert(Terminal.self)]
            airport.name = "airport a"
            func codes(_ orderings: [FetchOrdering<Airport>]) throws -> [String] {
                try context.fetch(Airport.self, orderBy: orderings).map(\.code)
            }
            #expect(try codes([.descending(\.passengers)]) == ["D", "B", "A", "C"])
            #expect(
                try codes([.ascending { $0.city.name }, .descending(\.code)]) == [
                    "A", "D", "C", "B",
                ])
            #expect(
                try codes([.descending { $0.terminals.count }, .ascending(\.code)])
                    == ["C", "A", "B", "D"])
            #expect(try codes([.ascending(\.name)]) == ["A", "B", "D", "C"])
            #expect(
                try codes([.ascending(\.name, .caseInsensitive), .ascending(\.code)])
                    == ["A", "C", "B", "D"])
            #expect(try context.first(Airport.self, orderBy: [.descending(\.code)])?.code == "D")
            #expect(try context.first(Airport.self, where: { _ in .none }) == nil)
        }
    }

    @Test func fetchesBatchesInOrder() async throws {
        let store = try await files.open()
        try await Self.readBatches(of: store)
    }

    @MainActor private static func readBatches(of store: ManagedObjectStore) async throws {
        let context = store.mainContext
        for number in 0..<10 {
            let terminal = try context.insert(Terminal.self)
            terminal.number = number
        }
        let batches = try context.batches(of: 4, Terminal.self, orderBy: [.descending(\.number)])
        #expect(batches.count == 10)
        var numbers: [[Int]] = []
        for try await batch in batches {
            // An object that is deleted meanwhile is left out.
            if numbers.isEmpty,
                let last = try context.first(Terminal.self, orderBy: [.ascending(\.number)])
            {
                context.delete(last)
            }
            numbers.append(batch.map(\.number))
        }
        #expect(numbers == [[9, 8, 7, 6], [5, 4, 3, 2], [1]])
        var sizes: [Int] = []
        try context.batches(of: 5, Terminal.self).forEachBatch { sizes.append($0.count) }
        #expect(sizes == [5, 4])
    }
}
