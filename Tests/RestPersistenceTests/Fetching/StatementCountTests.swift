// SPDX-License-Identifier: Apache-2.0

import GRDB
import TestSupport
import Testing

@testable import RestPersistence

/// The numbers of statements that reading many objects runs.
@Suite struct StatementCountTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// A counter of the statements of one connection.
    private final class StatementCounter {
        private var count = 0

        init(_ connection: Database) {
            connection.trace(options: .statement) { [weak self] _ in self?.count += 1 }
        }

        /// Returns the number of statements that a closure runs.
        func statements<Result>(of body: () throws -> Result) rethrows -> Int {
            let before = count
            _ = try body()
            return count - before
        }
    }

    /// Returns a store of airports, each with a city and a terminal that has an airline.
    private func store(_ count: Int) async throws -> ManagedObjectStore {
        let store = try await files.open()
        try await store.perform { context in
            for number in 0..<count {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("A\(number)", "n")
                let city = try context.insert(City.self)
                city.name = "C\(number)"
                airport.city = city
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

    /// Returns the numbers of statements that a closure runs, with the airports of a snapshot.
    private func count<Result: Sendable>(
        of count: Int,
        _ body: @Sendable (ManagedObjectContext, [Airport], StatementCounterOf) throws -> Result
    ) async throws -> Result {
        let store = try await store(count)
        return try await store.read { context in
            guard case .snapshot(let connection) = context.role else {
                throw PersistenceError(.cannotOpen)
            }
            let counter = StatementCounter(connection)
            let airports = try context.fetch(Airport.self)
            #expect(airports.count == count)
            return try body(context, airports) { try counter.statements(of: $0) }
        }
    }

    private typealias StatementCounterOf = (() throws -> Void) throws -> Int

    @Test func fetchReadsAllRowsInOneStatement() async throws {
        let counts = try await count(of: 1000) { context, airports, count in
            let fetch = try count { _ = try context.fetch(Airport.self) }
            let values = try count {
                for airport in airports { #expect(airport.name == "n") }
            }
            return [fetch, values]
        }
        #expect(counts == [1, 0])
    }

    /// Objects of one fetch are read again in groups of 256, whatever their number.
    @Test(arguments: [(1, 1), (256, 1), (257, 2), (1000, 4)])
    func refreshedObjectsAreReadInGroups(size: Int, groups: Int) async throws {
        let counts = try await count(of: size) { context, airports, count in
            context.refreshAllObjects()
            let first = try count {
                for airport in airports { #expect(airport.name == "n") }
            }
            let second = try count { for airport in airports { _ = airport.passengers } }
            return [first, second]
        }
        #expect(counts == [groups, 0])
    }

    @Test(arguments: [(1, 1), (256, 1), (257, 2), (1000, 4)])
    func relationshipsAreReadInGroups(size: Int, groups: Int) async throws {
        let counts = try await count(of: size) { _, airports, count in
            let toOne = try count {
                for airport in airports { #expect(airport.city?.name.isEmpty == false) }
            }
            let toMany = try count {
                for airport in airports { #expect(airport.terminals.count == 1) }
            }
            let manyToMany = try count {
                for airport in airports {
                    #expect(airport.terminals.first?.airlines.count == 1)
                }
            }
            let again = try count {
                for airport in airports {
                    _ = airport.city?.name
                    _ = airport.terminals.first?.airlines.first?.code
                }
            }
            return [toOne, toMany, manyToMany, again]
        }
        // A to-many relationship has a statement for its keys and one for the rows of destinations.
        #expect(counts == [groups, 2 * groups, 2 * groups, 0])
    }

    @Test func prefetchMovesStatementsToItsCall() async throws {
        let counts = try await count(of: 300) { context, airports, count in
            let prefetch = try count {
                try context.prefetch("terminals.airlines", of: airports)
                try context.prefetch(\.city, of: airports)
            }
            let access = try count {
                for airport in airports {
                    #expect(airport.city?.name.isEmpty == false)
                    #expect(airport.terminals.first?.airlines.first?.code.isEmpty == false)
                }
            }
            return [prefetch, access]
        }
        // Two groups, each with one statement for the cities and two for each to-many relationship.
        #expect(counts == [10, 0])
    }
}
