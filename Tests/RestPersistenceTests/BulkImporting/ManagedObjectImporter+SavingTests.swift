// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// The transactions of imports, and imports that continue interrupted ones.
@Suite struct ImporterSavingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func airports(_ codes: some Sequence<Int>) -> String {
        codes.map { "{\"code\": \"\($0)\", \"name\": \"Airport \($0)\"}\n" }.joined()
    }

    private func write(_ text: String, to name: String = "airports.jsonl") throws -> URL {
        let url = files.directory.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url
    }

    private func codes() throws -> [String] {
        try files.rows("SELECT code FROM Airport ORDER BY CAST(code AS INTEGER)").map { $0[0] }
    }

    private func insert(_ code: String, into store: ManagedObjectStore) async throws {
        try await store.perform { context in
            let airport = try context.insert(Airport.self)
            airport.code = code
            airport.name = "Old"
            try context.save()
        }
    }

    private static var mapping: EntityMapping { EntityMapping(Airport.self) }

    // MARK: Saving

    @Test(.parity("P285")) func finishingSavesOnce() async throws {
        let store = try await files.open()
        var commits = store.commits.makeAsyncIterator()
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: .whenFinished, chunkCount: 10))
        for name in ["a.jsonl", "b.jsonl"] {
            let first = name == "a.jsonl" ? 0 : 50
            let url = try write(Self.airports(first..<first + 50), to: name)
            try await importer.importObjects(from: url, by: Self.mapping)
        }
        #expect(try codes() == [])
        let summary = try await importer.finish()
        #expect(summary.objectCount == 100)
        #expect(await commits.next()?.insertedIDs.count == 100)
        #expect(try codes() == (0..<100).map(String.init))
    }

    @Test(.parity("P285")) func finishingThrowsErrorOfSave() async throws {
        let store = try await files.open()
        let importer = ManagedObjectImporter(store, configuration: .init(saving: .whenFinished))
        try await importer.importObjects(from: write(Self.airports(0..<3)), by: Self.mapping)
        try store.close()
        let error = await #expect(throws: PersistenceError.self) { try await importer.finish() }
        #expect(error?.code == .storeClosed)
    }

    @Test func chunksAreTransactions() async throws {
        let store = try await files.open()
        var commits = store.commits.makeAsyncIterator()
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 40))
        try await importer.importObjects(from: write(Self.airports(0..<100)), by: Self.mapping)
        var counts: [Int] = []
        while counts.reduce(0, +) < 100 {
            counts.append(await commits.next()?.insertedIDs.count ?? 0)
        }
        #expect(counts == [40, 40, 20])
        // The size of the text ends a chunk as well.
        let bytes = ManagedObjectImporter(store, configuration: .init(chunkByteCount: 1))
        try await bytes.importObjects(
            from: write(Self.airports(200..<203), to: "b.jsonl"), by: Self.mapping)
        for _ in 0..<3 { #expect(await commits.next()?.insertedIDs.count == 1) }
    }

    // MARK: Resetting

    @Test(.parity("K104")) func resetsFileOfItsOwnOnly() async throws {
        let store = try await files.open()
        try await insert("old", into: store)
        let added = ManagedObjectImporter(store)
        try await added.importObjects(from: write(Self.airports(1...1)), by: Self.mapping)
        try await added.finish()
        #expect(try codes() == ["old", "1"])
        try store.close()
        let model = try ManagedObjectModel(TemporaryStore.airportEntities)
        let replacing = try await ManagedObjectImporter(at: files.file, model: model)
        #expect(replacing.store.url == files.file)
        #expect(replacing.configuration.resetsStore)
        try await replacing.importObjects(from: write(Self.airports(2...2)), by: Self.mapping)
        try await replacing.finish()
        #expect(try codes() == ["2"])
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await ManagedObjectImporter(at: files.directory, model: model)
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test(.parity("K105")) func resetReachesFileWhenFinished() async throws {
        let store = try await files.open()
        try await insert("old", into: store)
        try await insert("1", into: store)
        _ = try await store.insertAirline("SK")
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: .whenFinished, resetsStore: true))
        try await importer.importObjects(from: write(Self.airports(1...2)), by: Self.mapping)
        try await importer.importObjects(
            from: write(Self.airports(3...3), to: "b.jsonl"), by: Self.mapping)
        #expect(try codes() == ["old", "1"])
        #expect(try files.rows("SELECT code FROM Airline") == [["SK"]])
        try await importer.finish()
        // The second import did not delete the objects of the first.
        #expect(try codes() == ["1", "2", "3"])
        // An entity that no import names is emptied as well.
        #expect(try files.rows("SELECT code FROM Airline").isEmpty)
        #expect(
            try files.rows("SELECT name FROM Airport ORDER BY code")
                == [["Airport 1"], ["Airport 2"], ["Airport 3"]])
    }

    @Test func resetSurvivesFailingImport() async throws {
        let store = try await files.open()
        try await insert("old", into: store)
        let importer = ManagedObjectImporter(store, configuration: .init(resetsStore: true))
        await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: write("{"), by: Self.mapping)
        }
        #expect(try codes() == ["old"])
        try await importer.importObjects(from: write(Self.airports(1...1)), by: Self.mapping)
        #expect(try codes() == ["1"])
    }

    // MARK: Conflicts and connections

    @Test(.parity("K106")) func importedValuesWinConflicts() async throws {
        let store = try await files.open()
        try await insert("1", into: store)
        let importer = ManagedObjectImporter(store, configuration: .init(saving: .whenFinished))
        try await importer.importObjects(from: write(Self.airports(1...1)), by: Self.mapping)
        try await store.perform { context in
            // The importer's context is its own: its changes are not visible here.
            let airport = try #require(try context.fetch(Airport.self).first)
            #expect(airport.name == "Old")
            airport.name = "Other"
            airport.passengers = 7
            try context.save()
        }
        try await importer.finish()
        #expect(try files.rows("SELECT name, passengers FROM Airport") == [["Airport 1", "7"]])
    }

    @Test(
        .parity("K107"),
        arguments: [ImporterConfiguration.Saving.chunks, .whenFinished])
    func filesReferToEachOtherInAnyOrder(_ saving: ImporterConfiguration.Saving) async throws {
        let store = try await files.openHumans()
        func mapping(_ entity: String, _ rules: EntityRules) throws -> EntityMapping {
            EntityMapping(
                ObjectMapping(defaultFor: try #require(store.model.properties(of: entity))),
                rules: [entity: rules])
        }
        let humans = try mapping(
            "Human",
            EntityRules(
                identification: ["railsID"],
                connections: [Connection("favoriteCat", by: ["favoriteCatID": "railsID"])]))
        let cats = try mapping("Cat", EntityRules(identification: ["railsID"]))
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: saving, chunkCount: 3))
        try await importer.importObjects(
            from: write(
                (1...10).map { #"{"railsID": \#($0), "name": "h\#($0)", "favoriteCatID": \#($0)}"# }
                    .joined(separator: "\n"), to: "a.jsonl"), by: humans)
        try await importer.importObjects(
            from: write(
                (1...10).map { #"{"railsID": \#($0), "name": "c\#($0)"}"# }
                    .joined(separator: "\n"), to: "b.jsonl"), by: cats)
        let connected = "SELECT count(*) FROM Human WHERE favoriteCat IS NOT NULL"
        // Connections are held back until the end.
        #expect(try files.rows(connected) == [["0"]])
        let summary = try await importer.finish()
        #expect(summary.counts["Human"]?.connected == 10)
        #expect(
            try files.rows(
                "SELECT h.name, c.name FROM Human h JOIN Cat c ON h.favoriteCat = c.restkit_key "
                    + "ORDER BY h.railsID") == (1...10).map { ["h\($0)", "c\($0)"] })
        #expect(try await store.checkIntegrity() == [])
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'restkit_import%'") == []
        )
    }

    @Test func deletionPredicatesApplyAtTheEnd() async throws {
        let store = try await files.open()
        let mapping = EntityMapping(
            ObjectMapping(for: Airport.self),
            rules: [
                "Airport": EntityRules(deletionPredicate: .attribute("name", .equal, "Gone"))
            ])
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 1))
        try await importer.importObjects(
            from: write(
                "{\"code\": \"1\", \"name\": \"Gone\"}\n{\"code\": \"2\", \"name\": \"b\"}"),
            by: mapping)
        #expect(try codes() == ["1", "2"])
        #expect(try await importer.finish().counts["Airport"]?.deleted == 1)
        #expect(try codes() == ["2"])
    }

    // MARK: Interruptions

    /// An entity without identity, of which each import inserts objects again.
    private static let notes = [
        EntityDescription("Note", attributes: [AttributeDescription("text", .text)])
    ]

    private static func noteMapping(_ store: ManagedObjectStore) throws -> EntityMapping {
        EntityMapping(ObjectMapping(defaultFor: try #require(store.model.properties(of: "Note"))))
    }

    private static func notes(_ range: Range<Int>) -> String {
        "[" + range.map { #"{"text": "note \#($0)"}"# }.joined(separator: ",\n") + "]"
    }

    private func expectNotes(_ range: Range<Int>) throws {
        #expect(
            try files.rows("SELECT text FROM Note ORDER BY CAST(substr(text, 6) AS INTEGER)")
                == range.map { ["note \($0)"] })
    }

    @Test(arguments: [1, 3, 9]) func continuesAfterKill(_ chunks: Int) async throws {
        let url = try write(Self.notes(0..<1_000), to: "notes.json")
        let (path, input) = (
            files.file.path(percentEncoded: false), url.path(percentEncoded: false)
        )
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, input = input as String, chunks = chunks as Int] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), model: ManagedObjectModel(ImporterSavingTests.notes))
            let count = Mutex(0)
            let importer = ManagedObjectImporter(
                store,
                configuration: .init(chunkCount: 100) { _ in
                    let reached = count.withLock { count in
                        count += 1
                        return count
                    }
                    if reached == chunks { raise(SIGKILL) }
                })
            try await importer.importObjects(
                from: URL(filePath: input), by: ImporterSavingTests.noteMapping(store))
        }
        let store = try await files.open(Self.notes)
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 100))
        let summary = try await importer.importObjects(from: url, by: Self.noteMapping(store))
        #expect(summary.resumedElementCount == chunks * 100)
        #expect(summary.objectCount == 1_000 - chunks * 100)
        try await importer.finish()
        try expectNotes(0..<1_000)
        // The import is finished: the next one begins anew.
        let again = ManagedObjectImporter(store)
        #expect(
            try await again.importObjects(from: url, by: Self.noteMapping(store)).objectCount
                == 1_000)
    }

    @Test func cancellationEndsAfterChunk() async throws {
        let url = try write(Self.notes(0..<100), to: "notes.json")
        let store = try await files.open(Self.notes)
        let importer = ManagedObjectImporter(
            store,
            configuration: .init(chunkCount: 10) { progress in
                if progress.elementCount == 30 {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                }
            })
        let mapping = try Self.noteMapping(store)
        let task = Task { _ = try await importer.importObjects(from: url, by: mapping) }
        await #expect(throws: CancellationError.self) { try await task.value }
        try expectNotes(0..<30)
        let next = ManagedObjectImporter(store)
        let summary = try await next.importObjects(from: url, by: mapping)
        #expect(summary.resumedElementCount == 30)
        try expectNotes(0..<100)
    }

    /// Fails after 300 elements, with the position after 200.
    private func interrupt(_ store: ManagedObjectStore) async throws {
        let url = try write(String(Self.notes(0..<300).dropLast()) + ", []", to: "notes.json")
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 200))
        await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: url, by: Self.noteMapping(store))
        }
        try expectNotes(0..<200)
    }

    @Test func continuesAfterCorrection() async throws {
        let store = try await files.open(Self.notes)
        try await interrupt(store)
        let url = try write(Self.notes(0..<300), to: "notes.json")
        let importer = ManagedObjectImporter(store)
        let summary = try await importer.importObjects(from: url, by: Self.noteMapping(store))
        #expect(summary.resumedElementCount == 200)
        try expectNotes(0..<300)
    }

    @Test func refusesShorterContent() async throws {
        let store = try await files.open(Self.notes)
        try await interrupt(store)
        let url = try write(Self.notes(0..<150), to: "notes.json")
        let importer = ManagedObjectImporter(store)
        let error = await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: url, by: Self.noteMapping(store))
        }
        #expect(error?.code == .importFailed)
        #expect(error?.description.contains("changed") == true)
        try expectNotes(0..<200)
        let anew = ManagedObjectImporter(store, configuration: .init(resumes: false))
        #expect(
            try await anew.importObjects(from: url, by: Self.noteMapping(store)).objectCount == 150)
    }

    /// Imports a stream of notes in small pieces.
    private func importStream(
        _ text: String, into store: ManagedObjectStore, chunkCount: Int
    ) async throws -> ImportSummary {
        let bytes = Array(text.utf8)
        let stream = AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: 50) {
                continuation.yield(bytes[start..<min(start + 50, bytes.count)])
            }
            continuation.finish()
        }
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: chunkCount))
        return try await importer.importObjects(
            from: stream, named: "notes", by: Self.noteMapping(store))
    }

    @Test func refusesChangedContent() async throws {
        let store = try await files.open(Self.notes)
        await #expect(throws: PersistenceError.self) {
            _ = try await importStream(
                String(Self.notes(0..<100).dropLast()), into: store, chunkCount: 30)
        }
        try expectNotes(0..<90)
        let changed = Self.notes(0..<100).replacing("note 10\"", with: "note XX\"")
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await importStream(changed, into: store, chunkCount: 30)
        }
        #expect(error?.description.contains("changed") == true)
        try expectNotes(0..<90)
        let summary = try await importStream(Self.notes(0..<100), into: store, chunkCount: 7)
        #expect(summary.resumedElementCount == 90)
        try expectNotes(0..<100)
    }

    /// An importer that failed continues as another one does.
    @Test func failedImporterContinues() async throws {
        let store = try await files.open(Self.notes)
        let importer = ManagedObjectImporter(store, configuration: .init(chunkCount: 200))
        let broken = try write(String(Self.notes(0..<300).dropLast()), to: "notes.json")
        let mapping = try Self.noteMapping(store)
        await #expect(throws: PersistenceError.self) {
            try await importer.importObjects(from: broken, by: mapping)
        }
        let url = try write(Self.notes(0..<300), to: "notes.json")
        let summary = try await importer.importObjects(from: url, by: mapping)
        #expect(summary.resumedElementCount == 200)
        try expectNotes(0..<300)
    }

    @Test func skipsCompleteFiles() async throws {
        let store = try await files.open(Self.notes)
        let mapping = try Self.noteMapping(store)
        let url = try write(Self.notes(0..<10), to: "notes.json")
        try await ManagedObjectImporter(store).importObjects(from: url, by: mapping)
        let next = ManagedObjectImporter(store)
        let summary = try await next.importObjects(from: url, by: mapping)
        #expect(summary.resumedElementCount == 10)
        #expect(summary.objectCount == 0)
        // A second import of the same file by one importer is another one.
        #expect(try await next.importObjects(from: url, by: mapping).objectCount == 10)
        // A file that is complete must be the same.
        _ = try write(Self.notes(0..<11), to: "notes.json")
        await #expect(throws: PersistenceError.self) {
            try await ManagedObjectImporter(store).importObjects(from: url, by: mapping)
        }
    }

    // MARK: Seeds

    @Test func seedsStoreOfFirstStart() async throws {
        let seed = files.directory.appending(path: "seed.sqlite")
        let model = try ManagedObjectModel(TemporaryStore.airportEntities)
        let importer = try await ManagedObjectImporter(at: seed, model: model)
        try await importer.importObjects(from: write(Self.airports(1...3)), by: Self.mapping)
        try await importer.finish()
        let identity = importer.store.identity
        try importer.store.close()
        let names = try files.names
        #expect(names.contains("seed.sqlite") && !names.contains("seed.sqlite-wal"))
        let store = try await files.open(StoreConfiguration(seed: seed))
        #expect(store.identity == identity)
        #expect(try codes() == ["1", "2", "3"])
        try await insert("4", into: store)
        try store.close()
        // The seed is the content of the first start only.
        let second = try await files.open(StoreConfiguration(seed: seed))
        #expect(try await second.read { try $0.count(FetchRequest("Airport")) } == 4)
    }
}
