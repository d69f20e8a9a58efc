// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The removal of collections whose members have unsaved changes.
@MainActor @Suite struct UnsavedMemberTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// An unsaved change that concerns the airline A, and not B.
    private enum Change: CaseIterable {
        case edit, child, deletion, link

        @MainActor func make(
            _ context: ManagedObjectContext, _ airline: Airline
        ) throws -> ManagedObjectContext {
            switch self {
            case .edit: airline.alliance = .star
            case .deletion: context.delete(airline)
            case .link: try context.insert(Terminal.self).airlines = [airline]
            case .child:
                let child = context.child()
                try child.object(Airline.self, with: airline.objectID).alliance = .star
                return child
            }
            return context
        }
    }

    private func codes() throws -> [String] {
        try files.rows("SELECT code FROM Airline ORDER BY code").map { $0[0] }
    }

    @Test(arguments: Change.allCases)
    private func unsavedChangesKeepMembers(_ change: Change) async throws {
        let store = try await files.open()
        try await store.store(["A", "B"], as: .get("list"), at: 10)
        let context = store.mainContext
        let airline = try #require(try context.first(Airline.self, where: { $0.code == "A" }))
        let changed = try change.make(context, airline)
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        #expect(try codes() == ["A"])
        #expect(changed.hasChanges)
        // Without the change it can be removed.
        changed.rollback()
        try await store.store(["A"], as: .get("again"), at: 10)
        #expect(try await store.evictCollections(keeping: 0) == 1)
        #expect(try codes() == [])
    }

    @Test func releasedContextKeepsNothing() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("list"), at: 10)
        do {
            let context = store.makeContext()
            try #require(try context.fetch(Airline.self).first).alliance = .star
        }
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
    }

    @Test func savedChangeKeepsNothing() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("list"), at: 10)
        let context = store.mainContext
        let airline = try #require(try context.fetch(Airline.self).first)
        airline.alliance = .star
        try await context.save()
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        #expect(try codes() == [])
    }

    @Test func unsavedReferenceKeepsMember() async throws {
        let store = try await files.open()
        let id = try await store.write { context in
            let city = try context.insert(City.self)
            city.name = "Oslo"
            context.record(
                .fetched(
                    CollectionResponse(
                        .get("cities"), [city.objectID], url: "cities",
                        fetchedAt: Date(timeIntervalSince1970: 1), facts: CollectionFacts(),
                        extent: .whole(isComplete: true))))
            return city.objectID
        }
        let context = store.mainContext
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name) = ("OSL", "Oslo")
        airport.city = try context.object(City.self, with: id)
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 0)
        try await context.save()
        #expect(
            try files.rows("SELECT c.name FROM Airport a JOIN City c ON c.restkit_key = a.city")
                == [["Oslo"]])
    }

    // MARK: Contexts of the library

    /// A call whose context has an unsaved edit of the airline A while collections are evicted.
    private enum Call: CaseIterable {
        case perform, performChild, savedChild

        @MainActor func edit(
            _ id: ManagedObjectID, of store: ManagedObjectStore, whileEditing body: Pause
        ) async throws {
            switch self {
            case .perform:
                try await store.perform { context in
                    try context.object(Airline.self, with: id).alliance = .star
                    body.wait()
                    try context.save()
                }
            case .performChild, .savedChild:
                let context = store.mainContext
                try await context.performChild { child in
                    try child.object(Airline.self, with: id).alliance = .star
                    if self == .savedChild { try child.save() }
                    body.wait()
                    if self == .performChild { try child.save() }
                }
                try await context.save()
            }
        }
    }

    /// A pause of a closure on a thread of the store.
    private struct Pause: Sendable {
        let reached: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        private let resumption = DispatchSemaphore(value: 0)

        init() { (reached, continuation) = AsyncStream.makeStream() }

        func wait() {
            continuation.finish()
            resumption.wait()
        }

        func resume() { resumption.signal() }
    }

    @Test(arguments: Call.allCases)
    private func unsavedChangesOfCallsKeepMembers(_ call: Call) async throws {
        let store = try await files.open()
        try await store.store(["A", "B"], as: .get("list"), at: 10)
        let airline = try #require(
            try store.mainContext.first(Airline.self, where: { $0.code == "A" }))
        let (id, pause) = (airline.objectID, Pause())
        let editing = Task { try await call.edit(id, of: store, whileEditing: pause) }
        for await _ in pause.reached {}
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        pause.resume()
        try await editing.value
        #expect(try files.rows("SELECT code, alliance FROM Airline") == [["A", "star"]])
        try await store.store(["A"], as: .get("again"), at: 10)
        #expect(try await store.evictCollections(keeping: 0) == 1)
    }

    @Test func unsavedImportKeepsMembers() async throws {
        let store = try await files.open()
        try await store.store(["A", "B"], as: .get("list"), at: 10)
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: .whenFinished, chunkCount: 1))
        let url = files.directory.appending(path: "airlines.jsonl")
        try Data("{\"code\":\"A\",\"alliance\":\"star\"}\n{\"code\":\"C\"}\n".utf8).write(to: url)
        try await importer.importObjects(from: url, by: EntityMapping(Airline.self))
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        try await importer.finish()
        #expect(
            try files.rows("SELECT code, alliance IS NULL FROM Airline ORDER BY code")
                == [["A", "0"], ["C", "1"]])
        // What is saved is not kept any more.
        try await store.store(["A"], as: .get("again"), at: 10)
        #expect(try await store.evictCollections(keeping: 0) == 1)
    }
}
