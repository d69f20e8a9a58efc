// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectStoreTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func permissions(_ url: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(
            atPath: url.path(percentEncoded: false))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test(arguments: [0o022, 0o000])
    func restrictsFilesToTheirOwner(_ mask: Int) async throws {
        let previous = umask(mode_t(mask))
        defer { umask(previous) }
        let directory = files.directory.appending(path: "new")
        let file = directory.appending(path: "objects.sqlite")
        let store = try await ManagedObjectStore(
            at: file, model: ManagedObjectModel(TemporaryStore.airportEntities))
        try await store.perform { context in
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
        #expect(try permissions(directory) == 0o700)
        for suffix in ["", "-wal", "-shm"] {
            #expect(
                try permissions(directory.appending(path: "objects.sqlite" + suffix)) == 0o600)
        }
    }

    @Test func reopensItsFile() async throws {
        let first = try await files.open()
        let id = try await first.perform { context in
            let airline = try context.insert(Airline.self)
            airline.code = "SK"
            try context.save()
            return airline.objectID
        }
        try first.close()
        let second = try await files.open()
        #expect(second.identity == first.identity)
        let found = try #require(second.objectID(for: id.uri))
        #expect(found == id)
        let code = try await second.perform { try $0.object(Airline.self, with: found).code }
        #expect(code == "SK")
        let fresh = try await second.perform { try $0.insert(Airline.self).objectID }
        #expect(fresh.key > id.key)
    }

    @Test func closedFileIsCompleteWithoutLog() async throws {
        let store = try await files.open()
        try await store.perform { context in
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
        try store.close()
        let copy = files.directory.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: files.file, to: copy)
        #expect(try files.rows("SELECT code FROM Airline", in: copy) == [["SK"]])
    }

    @Test func resolvesItsOwnURIsOnly() async throws {
        let store = try await files.open()
        for text in [
            "restkit://00000000-0000-0000-0000-000000000000/Airline/1",
            "restkit://\(store.identity.uuidString)/Nothing/1",
            "restkit://\(store.identity.uuidString)/Airline/x",
            "restkit://\(store.identity.uuidString)/Airline",
            "https://\(store.identity.uuidString)/Airline/1",
        ] {
            #expect(store.objectID(for: try #require(URL(string: text))) == nil)
        }
    }

    @Test func rejectsFileOfAnotherModel() async throws {
        try await files.open().close()
        let error = await #expect(throws: PersistenceError.self) {
            try await files.open([
                EntityDescription("Airline", attributes: [AttributeDescription("code", .text)])
            ])
        }
        #expect(error?.code == .modelMismatch)
        _ = try await files.open()
    }

    @Test func distinguishesTypesWithSameColumnType() async throws {
        func entity(_ type: AttributeType) -> [EntityDescription] {
            [EntityDescription("Note", attributes: [AttributeDescription("value", type)])]
        }
        try await files.open(entity(.text)).close()
        let error = await #expect(throws: PersistenceError.self) {
            try await files.open(entity(.date))
        }
        #expect(error?.code == .modelMismatch)
    }

    @Test(arguments: ["CREATE TABLE other (a)", "PRAGMA application_id = 5"])
    func rejectsFileOfAnotherApplication(_ sql: String) async throws {
        try files.execute("CREATE TABLE temporary (a)")
        try files.execute(sql)
        let before = try Data(contentsOf: files.file)
        let error = await #expect(throws: PersistenceError.self) { try await files.open() }
        #expect(error?.code == .wrongApplicationID)
        #expect(try Data(contentsOf: files.file) == before)
    }

    @Test func rejectsFileThatIsNotDatabase() async throws {
        let text = Data(String(repeating: "not a database ", count: 1000).utf8)
        try text.write(to: files.file)
        let error = await #expect(throws: PersistenceError.self) { try await files.open() }
        #expect(error?.code == .notADatabase)
        #expect(try Data(contentsOf: files.file) == text)
    }

    @Test func reportsWhyFileCannotBeOpened() async throws {
        let model = try ManagedObjectModel(TemporaryStore.airportEntities)
        let places = [
            files.directory, files.directory.appending(path: "a/b/c.sqlite"),
            URL(string: "https://example.com/a.sqlite"),
        ]
        for place in places {
            let place = try #require(place)
            let error = await #expect(throws: PersistenceError.self) {
                try await ManagedObjectStore(at: place, model: model)
            }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func performThrowsInCancelledTask() async throws {
        let store = try await files.open()
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.perform { context in
                try context.insert(Airline.self).code = "SK"
                try context.save()
            }
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(try files.rows("SELECT * FROM Airline") == [])
    }
}
