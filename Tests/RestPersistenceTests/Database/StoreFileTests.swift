// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence
@testable import RestRows

/// Seeds, reset, backups and checks.
@Suite struct StoreFileTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private var model: ManagedObjectModel {
        get throws { try ManagedObjectModel(TemporaryStore.airportEntities) }
    }

    private func url(_ name: String) -> URL { files.directory.appending(path: name) }

    private func date(_ url: URL) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(
            atPath: url.path(percentEncoded: false))
        return try #require(attributes[.modificationDate] as? Date)
    }

    private func idWithoutKey(_ id: ManagedObjectID) -> String {
        id.uri.deletingLastPathComponent().absoluteString
    }

    // MARK: Seeds

    @Test(.parity("P001"))
    func remembersItsSeed() async throws {
        let seed = url("Seed.sqlite")
        try await ManagedObjectStore(at: seed, model: model).close()
        let store = try await files.open(StoreConfiguration(seed: seed))
        #expect(FileManager.default.fileExists(atPath: files.file.path))
        #expect(store.configuration.seed == seed)
    }

    @Test(.parity("P002", "K005"), arguments: [true, false])
    func copiesSeedWithItsIdentity(_ isOpen: Bool) async throws {
        let original = try await ManagedObjectStore(at: url("Seed.sqlite"), model: model)
        let id = try await original.insertAirline("Blake")
        // The open seed has the row in its log only.
        #expect(try files.rows("SELECT code FROM Airline", in: original.url) == [["Blake"]])
        if !isOpen { try original.close() }
        let store = try await files.open(StoreConfiguration(seed: original.url))
        #expect(store.identity == original.identity)
        let found = try await store.perform { context in
            try context.fetch(Airline.self, where: { $0.code == "Blake" }).map(\.objectID)
        }
        #expect(found == [id])
        #expect(found.map(idWithoutKey) == [idWithoutKey(id)])
        let fresh = try await store.insertAirline("Sarah")
        #expect(fresh.key > id.key)
    }

    @Test(.parity("K005"))
    func existingFileKeepsItsContent() async throws {
        let seed = try await ManagedObjectStore(at: url("Seed.sqlite"), model: model)
        try await seed.insertAirline("Blake")
        let first = try await files.open()
        try await first.insertAirline("Sarah")
        try first.close()
        let store = try await files.open(StoreConfiguration(seed: seed.url))
        #expect(try await store.airlineCodes() == ["Sarah"])
    }

    @Test(.parity("K005"), arguments: ["Nothing.sqlite", "Text.sqlite", "Other.sqlite"])
    func failsWithoutFileWhenSeedCannotBeCopied(_ name: String) async throws {
        try Data(String(repeating: "text", count: 1_000).utf8).write(to: url("Text.sqlite"))
        try await ManagedObjectStore(
            at: url("Other.sqlite"),
            model: ManagedObjectModel([
                EntityDescription("Note", attributes: [AttributeDescription("text", .text)])
            ])
        ).close()
        let before = try files.names
        let error = await #expect(throws: PersistenceError.self) {
            try await files.open(StoreConfiguration(seed: url(name), migration: .refused))
        }
        let codes: [String: PersistenceError.Code] = [
            "Nothing.sqlite": .cannotOpen, "Text.sqlite": .notADatabase,
            "Other.sqlite": .modelMismatch,
        ]
        #expect(error?.code == codes[name])
        #expect(try files.names == before)
    }

    // MARK: Reset

    @Test(.parity("P003"))
    func resetEmptiesTemporaryStore() async throws {
        let store = try await ManagedObjectStore(temporaryFor: model)
        try await store.insertAirline("Blake")
        let identity = store.identity
        try await store.reset()
        #expect(store.identity != identity)
        let found = try await MainActor.run {
            try store.mainContext.fetch(Airline.self, where: { $0.code == "Blake" }).count
        }
        #expect(found == 0)
        try await store.insertAirline("Sarah")
        #expect(try await store.airlineCodes() == ["Sarah"])
    }

    @MainActor
    @Test(
        .parity("P004", "P005", "P011", "K011"),
        arguments: ["Test.sqlite", "This is 100% the Store.sqlite"])
    func resetRecreatesFile(_ name: String) async throws {
        let store = try await ManagedObjectStore(at: url(name), model: model)
        let id = try await store.insertAirline("Blake")
        let context = store.mainContext
        let before = try date(store.url)
        try await store.reset()
        #expect(store.mainContext !== context)
        #expect(try store.mainContext.fetch(Airline.self, where: { $0.code == "Blake" }).isEmpty)
        #expect(try date(store.url) >= before)
        #expect(store.objectID(for: id.uri) == nil)
        #expect(throws: PersistenceError.self) { try store.mainContext.object(with: id) }
        #expect(try files.rows("SELECT * FROM Airline", in: store.url) == [])
        let names = try files.names
        #expect(names.allSatisfy { [name, name + "-wal", name + "-shm"].contains($0) })
    }

    @Test(.parity("P006"), arguments: [true, false])
    func resetCopiesSeedAgain(_ isTemporary: Bool) async throws {
        let seed = try await ManagedObjectStore(at: url("Seed.sqlite"), model: model)
        let blake = try await seed.insertAirline("Blake")
        try seed.close()
        let configuration = StoreConfiguration(seed: seed.url)
        let store =
            isTemporary
            ? try await ManagedObjectStore(temporaryFor: model, configuration: configuration)
            : try await files.open(configuration)
        let sarah = try await store.insertAirline("Sarah")
        #expect(try await store.airlineCodes() == ["Blake", "Sarah"])
        try await store.reset()
        let found = try await store.perform { try $0.fetch(Airline.self).map(\.objectID) }
        #expect(found == [blake])
        #expect(found.map(idWithoutKey) == [idWithoutKey(blake)])
        // No later object has the ID of a deleted one.
        let fresh = try await store.insertAirline("Anna")
        #expect(fresh.key > sarah.key)
    }

    @MainActor @Test(.parity("P009", "K011"))
    func oldObjectsAreHarmlessAfterReset() async throws {
        let store = try await files.open()
        let context = store.mainContext
        let saved = try context.insert(Airline.self)
        saved.code = "SK"
        try await context.save()
        let unsaved = try context.insert(Airline.self)
        unsaved.code = "LH"
        #expect(try context.fetch(Airline.self, orderBy: \.code).count == 2)

        try await store.reset()
        saved.code = "SK2"
        unsaved.code = "LH2"
        #expect(saved.code == "SK2")
        #expect(saved.partners.isEmpty)
        let fetching = #expect(throws: PersistenceError.self) {
            try context.fetch(Airline.self, orderBy: \.code)
        }
        #expect(fetching?.code == .storeClosed)
        context.delete(saved)
        context.rollback()
        context.refreshAllObjects()
        // The values that were read remain.
        #expect(saved.code.hasPrefix("SK"))
        saved.code = "SK3"
        let saving = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(saving?.code == .storeClosed)
        unsaved.code = "LH3"
        #expect(try store.mainContext.fetch(Airline.self).isEmpty)
    }

    @Test(.parity("P009"))
    func resetsWhileWorkIsUnderWay() async throws {
        let store = try await files.open()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<60 {
                        // Closed in the middle, or saved before or after.
                        do {
                            try await store.insertAirline("\(task)-\(number)")
                            _ = try await store.airlineCodes()
                        } catch {
                            #expect((error as? PersistenceError)?.code == .storeClosed)
                        }
                    }
                }
            }
            for _ in 0..<5 {
                await #expect(throws: Never.self) { try await store.reset() }
            }
        }
        try await store.reset()
        #expect(try await store.airlineCodes() == [])
        #expect(try await store.checkIntegrity() == [])
    }

    @Test func failedResetKeepsContent() async throws {
        let seed = try await ManagedObjectStore(at: url("Seed.sqlite"), model: model)
        try seed.close()
        let store = try await files.open(StoreConfiguration(seed: seed.url))
        try await store.insertAirline("Blake")
        try await ManagedObjectStore.removeFiles(at: seed.url)
        let error = await #expect(throws: PersistenceError.self) { try await store.reset() }
        #expect(error?.code == .cannotOpen)
        #expect(try await store.airlineCodes() == ["Blake"])
        try store.close()
        #expect(try files.names == ["objects.sqlite"])
    }

    // MARK: Temporary stores

    @Test func temporaryStoreLeavesNoFile() async throws {
        let store = try await ManagedObjectStore(temporaryFor: model)
        try await store.insertAirline("SK")
        let directory = store.url.deletingLastPathComponent()
        #expect(FileManager.default.fileExists(atPath: store.url.path))
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path))

        var released: ManagedObjectStore? = try await ManagedObjectStore(temporaryFor: model)
        let file = try #require(released?.url)
        #expect(FileManager.default.fileExists(atPath: file.path))
        released = nil
        #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
    }

    @Test func temporaryStoresAreSeparate() async throws {
        let first = try await ManagedObjectStore(temporaryFor: model)
        let second = try await ManagedObjectStore(temporaryFor: model)
        try await first.insertAirline("SK")
        #expect(try await second.airlineCodes() == [])
        #expect(first.url != second.url)
    }

    @Test func removesTemporaryStoreOfKilledProcess() async throws {
        let note = url("path.txt")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [note = note.path(percentEncoded: false) as String] in
            let store = try await ManagedObjectStore(
                temporaryFor: ManagedObjectModel(TemporaryStore.airportEntities))
            try await store.insertAirline("SK")
            try Data(store.url.path(percentEncoded: false).utf8).write(to: URL(filePath: note))
            raise(SIGKILL)
        }
        let path = try String(decoding: Data(contentsOf: note), as: UTF8.self)
        let open = try await ManagedObjectStore(temporaryFor: model)
        // The first temporary store of a process removes it; this process may have had one before.
        TemporaryStoreDirectory.removeAbandonedDirectories()
        #expect(!path.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(FileManager.default.fileExists(atPath: open.url.path))
    }

    /// A killed process leaves the file that was to replace another one, also the copy of a seed, which is
    /// removed; that of a living one stays.
    @Test(arguments: [false, true])
    func removesReplacementOfKilledProcess(isSeeded: Bool) async throws {
        let path = files.file.path(percentEncoded: false)
        if isSeeded {
            try await ManagedObjectStore(at: url("Seed.sqlite"), model: model).close()
        } else {
            try await files.open().close()
        }
        let seed = isSeeded ? url("Seed.sqlite").path(percentEncoded: false) : ""
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, seed = seed as String] in
            let file = StoreOpening(
                path: path, model: try ManagedObjectModel(TemporaryStore.airportEntities),
                configuration: StoreConfiguration(seed: seed.isEmpty ? nil : URL(filePath: seed))
            ).file
            let replacement = try file.makeReplacement(firstKey: 1)
            withExtendedLifetime(replacement) { _ = raise(SIGKILL) }
        }
        #expect(try files.names.contains { $0.hasPrefix("objects.sqlite-new-") })
        let living = try TemporaryStoreDirectory(beside: path)
        let store = try await files.open()
        #expect(try files.names.count { $0.hasPrefix("objects.sqlite-new-") } == 1)
        living.remove()
        try await store.reset()
        #expect(try !files.names.contains { $0.hasPrefix("objects.sqlite-new-") })
    }

    // MARK: Backups and checks

    @Test func backsUpLiveStore() async throws {
        let store = try await files.open()
        try await store.insertAirlines((0..<2_000).map { "A\($0)" })
        let stop = Task {
            var number = 0
            do {
                while !Task.isCancelled {
                    try await store.insertAirlines(["x\(number)", "y\(number)"])
                    number += 1
                }
            } catch is CancellationError {
                // The task was cancelled between the test of the condition and the insertion.
            }
        }
        for round in 0..<5 {
            let copy = url("copy\(round).sqlite")
            try await store.backUp(to: copy)
            let counts = try files.rows(
                """
                SELECT (SELECT count(*) FROM Airline WHERE code LIKE 'A%'),
                  (SELECT count(*) FROM Airline WHERE code LIKE 'x%')
                  - (SELECT count(*) FROM Airline WHERE code LIKE 'y%')
                """, in: copy)
            #expect(counts == [["2000", "0"]])
        }
        stop.cancel()
        try await stop.value
        let copy = try await ManagedObjectStore(
            at: url("copy0.sqlite"), model: model,
            configuration: StoreConfiguration(isReadOnly: true))
        #expect(copy.identity == store.identity)
        #expect(try await copy.checkIntegrity() == [])
    }

    /// A store that is opened for reading only, on the file of a store that is being written.
    @Test func readOnlyStoreReadsBesideWriter() async throws {
        let live = try await files.open()
        let isDone = Mutex(false)
        let writer = Task {
            var number = 0
            while !isDone.withLock(\.self) {
                try await live.insertAirlines(["x\(number)", "y\(number)"])
                number += 1
            }
            return number
        }
        let reader = try await ManagedObjectStore(
            at: files.file, model: model, configuration: StoreConfiguration(isReadOnly: true))
        var last = 0
        for round in 0..<20 {
            let (first, second) = try await reader.read { context in
                (try context.fetch(Airline.self).count, try context.fetch(Airline.self).count)
            }
            // One snapshot, of whole transactions only.
            #expect(first == second && first % 2 == 0 && first >= last)
            last = first
            if round % 5 == 0 { #expect(try await reader.checkIntegrity() == []) }
        }
        let error = await #expect(throws: PersistenceError.self) {
            try await reader.insertAirline("SK")
        }
        #expect(error?.code == .readOnly)
        isDone.withLock { $0 = true }
        let count = try await writer.value
        #expect(try await reader.airlineCodes().count == 2 * count)
        // The copy of a live store can be opened beside it and merged into another store.
        try await live.backUp(to: url("merged.sqlite"))
        let copy = try await ManagedObjectStore(
            at: url("merged.sqlite"), model: model,
            configuration: StoreConfiguration(isReadOnly: true))
        try await live.insertAirline("later")
        #expect(try await copy.airlineCodes().count == 2 * count)
        #expect(try await live.airlineCodes().count == 2 * count + 1)
    }

    @Test(.parity("K003")) func adoptsModelOfFile() async throws {
        let store = try await files.open()
        let id = try await store.insertAirline("SK")
        // The database is open already, by the store and by another program.
        let observer = try files.observer()
        _ = try observer.dataVersion()
        let adopting = try await ManagedObjectStore(adoptingModelOf: files.file)
        func properties(_ model: ManagedObjectModel) -> Set<String> {
            Set(
                model.entities.flatMap { entity in
                    entity.attributes.map { "\(entity.name).\($0.name) \($0.type)" }
                        + entity.relationships.map {
                            "\(entity.name).\($0.name) \($0.destinationName) \($0.isToMany)"
                        }
                })
        }
        #expect(try properties(adopting.model).symmetricDifference(properties(model)) == [])
        #expect(adopting.identity == store.identity)
        let code = try await adopting.read { context in
            let airline = try #require(try context.fetch(FetchRequest("Airline")).first)
            #expect(airline.objectID == id)
            return try airline.value("code", as: String.self)
        }
        #expect(code == "SK")
        let missing = await #expect(throws: PersistenceError.self) {
            _ = try await ManagedObjectStore(adoptingModelOf: url("missing.sqlite"))
        }
        #expect(missing?.code == .cannotOpen)
        #expect(!FileManager.default.fileExists(atPath: url("missing.sqlite").path))
    }

    /// The file is created when the store is opened; the model cannot be changed from then on.
    @Test(.parity("K004")) func modelIsFixedBeforeOpening() async throws {
        var entities = [
            EntityDescription(
                "Note",
                attributes: [
                    AttributeDescription("text", .text), AttributeDescription("title", .text),
                ])
        ]
        var search = SearchConfiguration(attributes: ["Note": ["text"]])
        let model = try ManagedObjectModel(entities, search: search)
        #expect(!FileManager.default.fileExists(atPath: files.file.path))
        let store = try await ManagedObjectStore(at: files.file, model: model)
        #expect(FileManager.default.fileExists(atPath: files.file.path))
        search.attributes = ["Note": ["title"]]
        entities[0].attributes[1].isSearchable = true
        #expect(store.model.searchableAttributes(of: "Note") == ["text"])
        #expect(
            try files.rows("SELECT name FROM pragma_table_info('restkit_search_Note')")
                == [["text"]])
        // Another configuration is another model, which a store has from its opening.
        try store.close()
        let other = try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(entities, search: search))
        #expect(other.model.searchableAttributes(of: "Note") == ["title"])
    }

    @Test func backupNeverOverwrites() async throws {
        let store = try await files.open()
        try Data("precious".utf8).write(to: url("copy.sqlite"))
        let error = await #expect(throws: PersistenceError.self) {
            try await store.backUp(to: url("copy.sqlite"))
        }
        #expect(error?.code == .cannotOpen)
        #expect(try Data(contentsOf: url("copy.sqlite")) == Data("precious".utf8))
        let itself = await #expect(throws: PersistenceError.self) {
            try await store.backUp(to: files.file)
        }
        #expect(itself?.code == .cannotOpen)
    }

    @Test func cancelledBackupLeavesNoFile() async throws {
        let store = try await files.open()
        let copy = url("copy.sqlite")
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.backUp(to: copy)
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test(.threat("T68"), arguments: [true, false])
    func integrityCheckNamesDamage(_ isQuick: Bool) async throws {
        let store = try await files.open()
        let id = try await store.insertAirline("SK")
        #expect(try await store.checkIntegrity(quickly: isQuick) == [])
        try files.execute(
            "INSERT INTO Airline_terminals (source, target) VALUES (\(id.key), 999)")
        #expect(
            try await store.checkIntegrity(quickly: isQuick) == [
                "row 0 of Airline_terminals refers to a missing row of Terminal"
            ])
    }
}
