// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Closures that return without saving what they have changed.
@Suite struct UnsavedChangesTests {
    private func store() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(temporaryFor: Animal.self, Dog.self, Owner.self, Toy.self)
    }

    @Test func closureThatDoesNotSaveIsError() async throws {
        let store = try await store()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.perform { context in
                _ = try Owner.insert(into: context, id: 1)
            }
        }
        #expect(error?.code == .unsavedChanges)
        #expect(error?.details.first == "the closure has returned with unsaved changes of Owner")
        #expect(try await store.perform { try $0.count(Owner.self) } == 0)
    }

    @Test func childThatDoesNotSaveIsError() async throws {
        let store = try await store()
        let context = store.makeContext()
        let error = await #expect(throws: PersistenceError.self) {
            try await context.performChild { child in
                _ = try Owner.insert(into: child, id: 1)
            }
        }
        #expect(error?.code == .unsavedChanges)
        #expect(!context.hasChanges)
    }

    @Test func closureMayDiscardChanges() async throws {
        let store = try await store()
        let count = try await store.perform { context in
            _ = try Owner.insert(into: context, id: 1)
            defer { context.rollback() }
            return try context.count(Owner.self)
        }
        #expect(count == 1)
    }
}
