// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Relationships that are read before their first access.
@Suite struct ManagedObjectContextPrefetchingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store with 300 airports, each with a city and a terminal that has an airline.
    private func store() async throws -> ManagedObjectStore {
        let store = try await files.open()
        try await store.perform { context in
            for number in 100..<400 {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("A\(number)", "n")
                airport.city = try context.insert(City.self)
                airport.city?.name = "C\(number)"
                let terminal = try context.insert(Terminal.self)
                (terminal.number, terminal.airport) = (number, airport)
                let airline = try context.insert(Airline.self)
                airline.code = "L\(number)"
                terminal.airlines = [airline]
            }
            try context.save()
        }
        return store
    }

    /// Deletes what has been read already: a later query would not find it.
    private func deleteDestinations() throws {
        try files.execute(
            """
            UPDATE Airport SET city = NULL; DELETE FROM City; DELETE FROM Airline_terminals;
            DELETE FROM Airline; DELETE FROM Terminal
            """)
    }

    @Test func fetchReadsDestinationsAlongPaths() async throws {
        let context = try await store().makeContext()
        var request = FetchRequest(
            Airport.self, where: { _ in .all }, orderBy: [.ascending(\.code)])
        request.prefetchedPaths = ["city", "terminals.airlines"]
        let airports = try context.fetch(request).compactMap { $0 as? Airport }
        try deleteDestinations()
        #expect(airports.count == 300)
        for (index, airport) in airports.enumerated() {
            #expect(airport.city?.name == "C\(100 + index)")
            #expect(airport.terminals.map(\.number) == [100 + index])
            let airlines = airport.terminals.flatMap(\.airlines)
            #expect(airlines.map(\.code) == ["L\(100 + index)"])
        }
    }

    @Test func prefetchReadsDestinationsOfObjects() async throws {
        let context = try await store().makeContext()
        let airports = try context.fetch(Airport.self, orderBy: \.code)
        try context.prefetch(\.terminals, of: airports)
        try deleteDestinations()
        #expect(airports.map { $0.terminals.map(\.number) } == (100..<400).map { [$0] })
        // The cities have not been read.
        #expect(airports.allSatisfy { $0.city == nil })
    }

    @Test func refusesPathThatIsNoRelationship() async throws {
        let context = try await store().makeContext()
        var request = FetchRequest(Airport.self, where: { _ in .all })
        for path in ["name", "terminals.nowhere", ""] {
            request.prefetchedPaths = [path]
            let error = #expect(throws: PersistenceError.self) { try context.fetch(request) }
            #expect(error?.code == .unknownProperty)
        }
    }
}
