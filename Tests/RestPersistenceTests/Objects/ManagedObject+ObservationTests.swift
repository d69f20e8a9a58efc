// SPDX-License-Identifier: Apache-2.0

import Observation
import RestPersistence
import Synchronization
import TestSupport
import Testing

@MainActor
@Suite struct ManagedObjectObservationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store, and an airport of the main context.
    private func store() async throws -> (ManagedObjectStore, Airport) {
        let store = try await files.open()
        let id = try await store.perform { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            try context.save()
            return airport.objectID
        }
        return (store, try store.mainContext.object(Airport.self, with: id))
    }

    /// Calls a closure and returns an observer of the properties that it reads.
    private func observe<Value>(_ read: () -> Value) -> Observer {
        let observer = Observer()
        _ = withObservationTracking(read) { observer.count.add(1, ordering: .relaxed) }
        return observer
    }

    @Test func notifiesObserversOfChangedPropertyOnly() async throws {
        let (_, airport) = try await store()
        let name = observe { airport.name }
        let passengers = observe { airport.passengers }
        let state = observe { airport.objectState }
        airport.passengers = 3
        #expect((name.total, passengers.total) == (0, 1))
        airport.name = "Gardermoen"
        #expect(name.total == 0)
        airport.name = "new"
        #expect((name.total, passengers.total) == (1, 1))
        #expect(state.total == 0)
        store(airport).delete(airport)
        #expect(state.total == 1)
    }

    private func store(_ airport: Airport) -> ManagedObjectContext { airport.managedObjectContext }

    @Test func notifiesObserversOfInverses() async throws {
        let (store, airport) = try await store()
        let context = store.mainContext
        let terminal = try context.insert(Terminal.self)
        terminal.number = 1
        let airline = try context.insert(Airline.self)
        airline.code = "SK"
        let terminals = observe { airport.terminals }
        let airlines = observe { terminal.airlines }
        terminal.airport = airport
        airline.terminals = [terminal]
        #expect((terminals.total, airlines.total) == (1, 1))
        let emptied = observe { airport.terminals }
        terminal.airport = nil
        #expect(emptied.total == 1)
        terminal.airport = airport
        let deleted = observe { airport.terminals }
        context.delete(terminal)
        #expect(deleted.total == 1)
        #expect(airport.terminals == [])
    }

    @Test func notifiesObserversOfCommits() async throws {
        let (store, airport) = try await store()
        let id = airport.objectID
        let passengers = observe { airport.passengers }
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = airport.name
            } onChange: {
                continuation.resume()
            }
            Task {
                try await store.perform { context in
                    try context.object(Airport.self, with: id).name = "new"
                    try context.save()
                }
            }
        }
        #expect(airport.name == "new")
        #expect(passengers.total == 0)
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = airport.terminals
            } onChange: {
                continuation.resume()
            }
            Task {
                try await store.perform { context in
                    let terminal = try context.insert(Terminal.self)
                    terminal.number = 7
                    terminal.airport = try context.object(Airport.self, with: id)
                    try context.save()
                }
            }
        }
        #expect(airport.terminals.map(\.number) == [7])
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = airport.objectState
            } onChange: {
                continuation.resume()
            }
            Task {
                try await store.perform { context in
                    context.delete(try context.object(with: id))
                    try context.save()
                }
            }
        }
        #expect(airport.objectState == .deleted)
        #expect(airport.name == "new")
    }

    /// The main context merges the commits of others, and not its own.
    @Test(.parity("K009")) func ownSaveDoesNotNotify() async throws {
        let (store, airport) = try await store()
        let context = store.mainContext
        airport.name = "new"
        let name = observe { airport.name }
        try await context.save()
        #expect(try context.fetch(Airport.self) == [airport])
        #expect(name.total == 0)
        let id = airport.objectID
        try await store.perform { context in
            try context.object(Airport.self, with: id).name = "theirs"
            try context.save()
        }
        #expect(try context.fetch(Airport.self, where: { $0.name == "theirs" }) == [airport])
        #expect(airport.name == "theirs")
        #expect(name.total == 1)
        // A child of another context takes the commits when it fetches only.
        let child = store.makeContext().child()
        let own = try child.object(Airport.self, with: id)
        airport.name = "again"
        try await context.save()
        #expect(own.name == "theirs")
        #expect(try child.fetch(Airport.self).map(\.name) == ["again"])
    }

    @Test func saveWithoutEffectDoesNotNotify() async throws {
        let (store, airport) = try await store()
        var commits = store.commits.makeAsyncIterator()
        let id = airport.objectID
        let name = observe { airport.name }
        try await store.perform { context in
            let airport = try context.object(Airport.self, with: id)
            airport.name = "x"
            airport.name = "Gardermoen"
            #expect(try context.save() == SaveReport())
            airport.passengers = 1
            try context.save()
        }
        // The first commit is that of the second save.
        #expect(await commits.next()?.changedProperties(of: id) == ["passengers"])
        #expect(try store.mainContext.fetch(Airport.self) == [airport])
        #expect(name.total == 0)
    }
}

private final class Observer: Sendable {
    let count = Atomic(0)
    var total: Int { count.load(ordering: .relaxed) }
}
