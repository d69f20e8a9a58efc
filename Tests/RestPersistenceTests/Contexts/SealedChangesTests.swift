// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestPersistence

/// Values that are read while an asynchronous save writes them.
@MainActor
@Suite struct SealedChangesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Inserts and saves an airport.
    private func airport(in context: ManagedObjectContext) throws -> Airport {
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name) = ("OSL", "first")
        try context.saveToStore()
        return airport
    }

    private static let conflict =
        "INSERT INTO Airport (restkit_key, code, name, passengers) VALUES (900000, 'ADD', 'x', 0)"

    /// The values were read again during the save, which the rollback cannot revoke.
    @Test(arguments: [false, true])
    func failedSaveLeavesNoRolledBackValues(isChild: Bool) async throws {
        let root = try await files.openPatiently().mainContext
        let context = isChild ? root.child() : root
        let airport = try airport(in: context)
        (airport.name, try context.insert(Airport.self).code) = ("saved", "ADD")
        let city = try context.insert(City.self)
        city.name = "Oslo"
        airport.city = city
        context.insertedObjects.forEach { ($0 as? Airport)?.name = "added" }
        let failed = try await files.save(
            context, by: { try await context.saveToStore() }, otherWrite: Self.conflict
        ) {
            context.rollback()
            #expect(airport.name == "saved")
        }
        #expect(throws: PersistenceError.self) { try failed.get() }
        #expect(!context.hasChanges)
        #expect(airport.name == "first")
        #expect(airport.city == nil)
        // An edit to the value that was rolled back is a change.
        airport.name = "saved"
        #expect(context.hasChanges)
        try await context.saveToStore()
        #expect(
            try files.rows("SELECT name FROM Airport WHERE code = 'OSL'") == [["saved"]])
    }

    /// The context takes the commit of another one before it learns that its own save has ended.
    @Test func newerCommitIsVisibleAfterSave() async throws {
        let store = try await files.openPatiently()
        let context = store.mainContext
        let airport = try airport(in: context)
        let other = store.makeContext()
        other.mergePolicy = .contextWins
        let same = try other.object(Airport.self, with: airport.objectID)
        airport.name = "saved"
        let saved = try await files.save(context, by: { try await context.save() }) {
            same.name = "newer"
        } afterUnlocking: {
            // It waits for the other save, whose end needs the main actor.
            try other.save()
            context.takeCommits()
            #expect(context.layered.layers.sealed != nil)
            #expect(airport.name == "saved")
        }
        #expect(try saved.get().updated == 1)
        #expect(airport.name == "newer")
        #expect(try files.rows("SELECT name FROM Airport") == [["newer"]])
    }

    /// The parent takes the changes that are being written from the store.
    @Test func blockingSaveIsBusyDuringSaveToStore() async throws {
        let parent = try await files.openPatiently().mainContext
        let child = parent.child()
        let airport = try airport(in: child)
        airport.name = "saved"
        let saved = try await files.save(child, by: { try await child.saveToStore() }) {
            airport.name = "during"
            let error = #expect(throws: PersistenceError.self) { try child.save() }
            #expect(error?.code == .busy)
            #expect(airport.name == "during")
            #expect(!parent.layered.layers.top.tables.contains { $0.count > 0 })
        }
        #expect(try saved.get().updated == 1)
        #expect(airport.name == "during")
        try await child.save()
        #expect(try parent.object(Airport.self, with: airport.objectID).name == "during")
        try await parent.save()
        #expect(try files.rows("SELECT name FROM Airport") == [["during"]])
    }
}
