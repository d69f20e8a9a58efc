// SPDX-License-Identifier: Apache-2.0

import Observation
import TestSupport
import Testing

@testable import RestPersistence

/// The release of contexts and stores after their use.
@MainActor
@Suite struct ContextLifetimeTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Changes and saves in each form, with fetches that open a connection of the context.
    private static func use(_ context: ManagedObjectContext, _ code: String) async throws {
        let airline = try context.insert(Airline.self)
        airline.code = code
        #expect(try context.count(Airline.self, where: { $0.code == code }) == 1)
        try await context.saveToStore()
        airline.alliance = .star
        try await context.saveToStore()
        context.delete(airline)
        context.rollback()
    }

    @Test(arguments: ["made", "child", "performed"])
    func contextIsReleasedAfterUse(kind: String) async throws {
        let store = try await files.open()
        weak var released: ManagedObjectContext?
        weak var parent: ManagedObjectContext?
        do {
            let context = store.makeContext()
            let used = kind == "child" ? context.child() : context
            try await Self.use(used, "SK")
            if kind == "performed" {
                _ = try await context.performChild { try $0.fetch(Airline.self).count }
            }
            (released, parent) = (used, context)
        }
        #expect(released == nil)
        #expect(parent == nil)
    }

    @Test func contextIsReleasedAfterFailedSave() async throws {
        let store = try await files.open()
        weak var released: ManagedObjectContext?
        do {
            let context = store.makeContext()
            for _ in 0..<2 { try context.insert(Airline.self).code = "SK" }
            await #expect(throws: PersistenceError.self) { try await context.save() }
            released = context
        }
        #expect(released == nil)
    }

    @Test func storeIsReleasedAfterClosing() async throws {
        weak var store: ManagedObjectStore?
        weak var database: StoreDatabase?
        weak var context: ManagedObjectContext?
        do {
            let opened = try await files.open()
            (store, database, context) = (opened, opened.database, opened.mainContext)
            try await Self.use(opened.mainContext, "SK")
            var results = opened.commits.makeAsyncIterator()
            try await opened.insertAirline("LH")
            _ = await results.next()
            try opened.close()
            while await results.next() != nil {}
        }
        // The tasks of the store end after its streams.
        for _ in 0..<10_000 where store != nil || database != nil || context != nil {
            await Task.yield()
        }
        #expect(store == nil)
        #expect(context == nil)
        #expect(database == nil)
    }

    /// An observation keeps what it observes only while it lasts.
    @Test func storeIsReleasedAfterObservation() async throws {
        weak var store: ManagedObjectStore?
        weak var context: ManagedObjectContext?
        do {
            let opened = try await files.open()
            (store, context) = (opened, opened.mainContext)
            let airline = try opened.mainContext.insert(Airline.self)
            airline.code = "SK"
            try await opened.mainContext.save()
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = airline.alliance
                } onChange: {
                    continuation.resume()
                }
                airline.alliance = .star
            }
            try opened.close()
        }
        for _ in 0..<10_000 where store != nil || context != nil { await Task.yield() }
        #expect(store == nil)
        #expect(context == nil)
    }
}
