// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The opening of files without suspending.
@MainActor @Suite struct ExistingStoreTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open(
        _ model: ManagedObjectModel? = nil, _ configuration: StoreConfiguration = .init()
    ) throws -> ManagedObjectStore {
        try ManagedObjectStore(
            existingAt: files.file,
            model: try model ?? ManagedObjectModel(TemporaryStore.airportEntities),
            configuration: configuration)
    }

    @Test func opensExistingFile() async throws {
        let first = try await files.open()
        try await first.insertAirline("SK")
        let identity = first.identity
        try first.close()
        let store = try open()
        #expect(store.identity == identity)
        #expect(try store.mainContext.fetch(Airline.self).map(\.code) == ["SK"])
        try await store.insertAirline("LH")
        try store.close()
        let other = try ManagedObjectStore(
            existingAt: files.file, entities: Airport.self, Terminal.self, City.self, Mayor.self,
            Airline.self, configuration: StoreConfiguration(isReadOnly: true))
        #expect(try other.mainContext.count(Airline.self) == 2)
    }

    @Test(arguments: [true, false]) func createsNoFile(isEmpty: Bool) throws {
        if isEmpty { try Data().write(to: files.file) }
        let error = #expect(throws: PersistenceError.self) { try open() }
        #expect(error?.code == .cannotOpen)
        #expect(error?.path?.hasSuffix("objects.sqlite") == true)
        #expect(error?.details.last?.contains("asynchronous initializer") == true)
        #expect(try files.names == (isEmpty ? ["objects.sqlite"] : []))
    }

    @Test(arguments: [true, false]) func migratesNoFile(isEnabled: Bool) async throws {
        try await files.open([EntityDescription("Only", attributes: [])]).close()
        var configuration = StoreConfiguration()
        configuration.migration = isEnabled ? .automatic : .refused
        let error = #expect(throws: PersistenceError.self) { try open(nil, configuration) }
        #expect(error?.code == .modelMismatch)
        #expect(error?.details.last?.contains("which migrates it") == isEnabled)
        // The file is as it was.
        try await files.open([EntityDescription("Only", attributes: [])]).close()
    }
}
