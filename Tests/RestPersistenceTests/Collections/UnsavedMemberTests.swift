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
}
