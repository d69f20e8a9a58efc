// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Other programs that remove, replace or migrate the file of an open store.
@Suite struct OpenFileTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func entity(_ names: [String]) -> EntityDescription {
        EntityDescription(
            "Boat",
            attributes: names.map { AttributeDescription($0, .text, isOptional: true) })
    }

    private func expectChanged(
        _ cause: String, _ body: () async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: PersistenceError.self, sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(error?.code == .fileChanged, sourceLocation: sourceLocation)
        #expect(
            error?.details.first
                == "another program has \(cause) the file while the store was open",
            sourceLocation: sourceLocation)
        #expect(
            error?.path == files.file.path(percentEncoded: false), sourceLocation: sourceLocation)
        #expect(
            error?.recoverySuggestion?.hasPrefix("Close the store") == true,
            sourceLocation: sourceLocation)
    }

    /// Ways to write into a store.
    private static let writes: [@Sendable (ManagedObjectStore) async throws -> Void] = [
        { store in try saveWithoutWaiting(in: store) },
        { store in
            let context = store.makeContext()
            try context.insert(entity: "Boat").setValue("Fram" as String?, "name")
            try await context.save()
        },
        { store in
            try await store.write {
                try $0.insert(entity: "Boat").setValue("Fram" as String?, "name")
            }
        },
    ]

    private static func saveWithoutWaiting(in store: ManagedObjectStore) throws {
        let context = store.makeContext()
        try context.insert(entity: "Boat").setValue("Fram" as String?, "name")
        try context.save()
    }

    @Test(.threat("T68"), arguments: ["", "-wal"], 0..<3)
    func reportsRemovedFile(_ suffix: String, _ write: Int) async throws {
        let store = try await files.open([Self.entity(["name"])])
        try await Self.writes[write](store)
        try FileManager.default.removeItem(atPath: files.file.path(percentEncoded: false) + suffix)
        await expectChanged("removed or replaced") { try await Self.writes[write](store) }
        // Neither does a file that takes its place receive what the store wrote.
        if suffix.isEmpty {
            try await ManagedObjectStore.removeFiles(at: files.file)
            let other = try await files.open([Self.entity(["name"])])
            await expectChanged("removed or replaced") { try await Self.writes[write](store) }
            #expect(try await other.perform { try $0.count(FetchRequest("Boat")) } == 0)
        }
    }

    @Test(arguments: 0..<3)
    func refusesToWriteIntoMigratedFile(_ write: Int) async throws {
        let store = try await files.open([Self.entity(["name"])])
        try await Self.writes[write](store)
        let newer = try await files.open([Self.entity(["name", "port"])])
        await expectChanged("migrated") { try await Self.writes[write](store) }
        #expect(try await newer.perform { try $0.count(FetchRequest("Boat")) } == 1)
    }

    @Test func explainsFailedReadOfMigratedFile() async throws {
        let store = try await files.open([Self.entity(["name", "port"])])
        try await files.open([Self.entity(["name"])]).close()
        await expectChanged("migrated") {
            _ = try await store.perform { try $0.fetch(FetchRequest("Boat")).count }
        }
        await expectChanged("migrated") {
            _ = try await store.read { try $0.fetch(FetchRequest("Boat")).count }
        }
    }

    /// Indexes and tables of other programs change the schema, but not the model.
    @Test func acceptsOtherChangesOfSchema() async throws {
        let store = try await files.open([Self.entity(["name"])])
        try await Self.writes[0](store)
        try files.execute("CREATE TABLE own (a); CREATE INDEX own_index ON Boat (name)")
        for write in Self.writes { try await write(store) }
        #expect(try await store.perform { try $0.count(FetchRequest("Boat")) } == 4)
    }
}
