// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Imports of the same object into several contexts.
@Suite struct SiblingImportTests {
    private static let blake = #"{"name": "Blake", "railsID": 31337}"#
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func importBlake(
        _ mapping: ObjectMapping, into context: ManagedObjectContext
    ) throws -> ManagedObject {
        let objects = try context.objects(
            from: Self.blake, by: mapping, identification: ["Human": ["railsID"]])
        return try #require(objects.first)
    }

    private func humans(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        let named = FetchRequest("Human")
        return try context.fetch(named)
    }

    @Test(.parity("P204")) func siblingsShareOneObject() async throws {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Human")))
        let parent = store.makeContext()
        let siblings = [parent.child(), parent.child()]
        var ids: Set<ManagedObjectID> = []
        for sibling in siblings {
            // The second child takes the object that the first has saved to the parent.
            _ = try humans(sibling)
            ids.insert(try importBlake(mapping, into: sibling).objectID)
            try await sibling.save()
        }
        #expect(ids.count == 1)
        for context in siblings + [parent] {
            #expect(try humans(context).map(\.objectID) == Array(ids))
        }
        try await parent.save()
        #expect(try files.rows("SELECT name, railsID FROM Human") == [["Blake", "31337"]])
    }

    @Test(.parity("K045")) func findsExistingObjectsOfAskingContext() async throws {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Human")))
        let id = try await store.write { try importBlake(mapping, into: $0).objectID }
        let (first, second) = (store.makeContext(), store.makeContext())
        let known = try importBlake(mapping, into: first)
        #expect(known.objectID == id && known.managedObjectContext === first)
        let other = try importBlake(mapping, into: second)
        #expect(other.objectID == id && other.managedObjectContext === second)
        // An object that a context has deleted is skipped there and found elsewhere.
        first.delete(known)
        let replacement = try importBlake(mapping, into: first)
        #expect(replacement.objectID != id)
        #expect(try importBlake(mapping, into: second).objectID == id)
        // Once its row is deleted, no context finds it.
        first.delete(replacement)
        try await first.save()
        #expect(try importBlake(mapping, into: second).objectID != id)
        try await second.save()
        #expect(try files.rows("SELECT name, railsID FROM Human") == [["Blake", "31337"]])
    }
}
