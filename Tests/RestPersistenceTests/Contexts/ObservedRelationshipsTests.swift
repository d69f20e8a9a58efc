// SPDX-License-Identifier: Apache-2.0

import Observation
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// The objects whose relationships observers may read.
@MainActor @Suite struct ObservedRelationshipsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns the number of objects that a commit may notify because of a relationship.
    private func count(_ name: String, of entity: String, in context: ManagedObjectContext) throws
        -> Int
    {
        let layout = try context.model.layout(named: entity)
        guard case .relationship(let index) = layout.propertyIndices[name] else { return -1 }
        return context.identityMap.observed.keys(of: layout.relationships[index], in: layout).count
    }

    private func insertAirports(_ count: Int, in store: ManagedObjectStore) async throws {
        try await store.perform { context in
            for number in 0..<count {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("A\(number)", "")
                let terminal = try context.insert(Terminal.self)
                (terminal.number, terminal.airport) = (number, airport)
            }
            try context.save()
        }
    }

    @Test func containObjectsWhoseRelationshipWasRead() async throws {
        let store = try await files.open()
        try await insertAirports(8, in: store)
        let context = store.mainContext
        let airports = try context.fetch(Airport.self, orderBy: \.code)
        #expect(airports.map(\.name).count == 8)
        #expect(try count("terminals", of: "Airport", in: context) == 0)
        for airport in airports.prefix(3) {
            #expect(airport.terminals.count == 1)
            #expect(airport.terminals.first?.airport == airport)
        }
        #expect(try count("terminals", of: "Airport", in: context) == 3)
        #expect(try count("airport", of: "Terminal", in: context) == 3)
        #expect(try count("city", of: "Airport", in: context) == 0)
        // Contexts that are not observed keep none.
        try await store.perform { context in
            for airport in try context.fetch(Airport.self) { #expect(airport.terminals.count == 1) }
            #expect(context.identityMap.observed.isEmpty)
        }
    }

    @Test func loseReleasedObjects() async throws {
        let store = try await files.open()
        try await insertAirports(300, in: store)
        let context = store.mainContext
        func readAll() throws {
            for airport in try context.fetch(Airport.self) { #expect(airport.terminals.count == 1) }
        }
        try readAll()
        #expect(try count("terminals", of: "Airport", in: context) > 256)
        // Enough new objects for the map to forget the released ones.
        for _ in 0..<2_000 { _ = try context.insert(Airline.self) }
        #expect(try count("terminals", of: "Airport", in: context) == 0)
        context.reset()
        #expect(context.identityMap.observed.isEmpty)
    }

    /// The object of a new row becomes that of the row that another context has inserted meanwhile.
    @Test func keepObjectsWithNewKeys() async throws {
        let store = try await files.open()
        let context = store.mainContext
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(parsing: #"{"code": "A0", "name": "mine"}"#)
        _ = try context.importObjects(from: document.root, by: plan)
        let airport = try #require(try context.fetch(Airport.self).first)
        #expect(airport.terminals.isEmpty)
        let key = airport.objectID.key
        try await insertAirports(1, in: store)
        try await context.save()
        #expect(airport.objectID.key != key)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            #expect(airport.terminals.count == 1)
        } onChange: {
            continuation.finish()
        }
        let id = airport.objectID
        try await store.perform { context in
            let terminal = try context.insert(Terminal.self)
            (terminal.number, terminal.airport) = (5, try context.object(Airport.self, with: id))
            try context.save()
        }
        for await _ in changes {}
    }

    /// Observers are notified once of many commits, of each relationship that changed.
    @Test func areNotifiedOfAllCommits() async throws {
        let store = try await files.open()
        try await insertAirports(2, in: store)
        let context = store.mainContext
        let airport = try #require(try context.fetch(Airport.self, orderBy: \.code).first)
        let terminal = try #require(airport.terminals.first)
        let count = Mutex([0, 0])
        withObservationTracking {
            _ = airport.terminals
        } onChange: {
            count.withLock { $0[0] += 1 }
        }
        withObservationTracking {
            _ = terminal.airlines
        } onChange: {
            count.withLock { $0[1] += 1 }
        }
        let ids = [airport.objectID, terminal.objectID]
        // The main context takes the commits when it fetches.
        let worker = store.makeContext()
        for code in ["SK", "LH"] {
            let airline = try worker.insert(Airline.self)
            airline.code = code
            airline.terminals = [try worker.object(Terminal.self, with: ids[1])]
            try await worker.save()
        }
        for number in 10...12 {
            let other = try worker.insert(Terminal.self)
            (other.number, other.airport) = (number, try worker.object(Airport.self, with: ids[0]))
            try await worker.save()
        }
        #expect(try context.fetch(Airport.self).count == 2)
        #expect(count.withLock(\.self) == [1, 1])
        #expect(airport.terminals.count == 4)
        #expect(terminal.airlines.count == 2)
    }
}
