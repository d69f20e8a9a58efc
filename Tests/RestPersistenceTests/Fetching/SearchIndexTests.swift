// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import RestSearch
import Synchronization
import TestSupport
import Testing

@Suite struct SearchIndexTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open(
        _ configuration: SearchConfiguration = .init(), _ migration: StoreMigration = .refused,
        attributes: [String: [String]] = ["Human": ["name", "railsID", "catIDs"], "Cat": ["name"]]
    ) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, model: SearchConfigurationTests.model(attributes, configuration),
            configuration: StoreConfiguration(migration: migration))
    }

    /// Inserts a human, and returns its words before and after saving.
    private func words(_ name: String, in store: ManagedObjectStore) async throws -> [Set<String>] {
        try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue(name as String?, "name")
            let unsaved = try context.searchWords(of: human)
            try context.save()
            return [unsaved, try context.searchWords(of: human)]
        }
    }

    @Test(.parity("P291", "P293", "P295")) func indexesUnsavedAndSavedObjects() async throws {
        let store = try await open(
            SearchConfiguration(tokenizer: SearchTokenizer(stopWords: ["is"])))
        let words = try await words("This is my name", in: store)
        #expect(words == [["this", "my", "name"], ["this", "my", "name"]])
        #expect(
            try files.rows(
                """
                SELECT h.name, s.name FROM restkit_search_Human s
                JOIN Human h ON h.restkit_key = s.rowid
                """) == [["This is my name", "this my name"]])
    }

    @Test(.parity("P298")) func closureRefusesWords() async throws {
        let store = try await open(
            SearchConfiguration(includesWord: { word, entity in
                entity == "Human" && ["my", "name"].contains(word)
            }))
        #expect(
            try await words("This is my name", in: store) == [["my", "name"], ["my", "name"]])
    }

    @Test(.parity("P301")) func closureDeclinesObjects() async throws {
        let store = try await open(
            SearchConfiguration(includesObject: { object in
                object.entityName != "Human" || object["name"] != .text("secret")
            }))
        #expect(try await words("secret", in: store) == [[], []])
        #expect(try await words("open", in: store) == [["open"], ["open"]])
    }

    /// SQLite passes a text to a function only up to its first NUL.
    @Test(.threat("T04")) func closuresReceiveTextAfterNUL() async throws {
        let names = ["a\0secret", "\0", "\0open b\0c", "a\0"]
        let seen = Mutex<Set<StoredValue>>([])
        let store = try await open(
            SearchConfiguration(includesObject: { object in
                if object.entityName == "Human" { seen.withLock { _ = $0.insert(object["name"]) } }
                return object["name"] != .text("a\0secret")
            }))
        #expect(try await words(names[0], in: store) == [[], []])
        #expect(try await words(names[1], in: store) == [[], []])
        #expect(
            try await words(names[2], in: store) == [["open", "b", "c"], ["open", "b", "c"]])
        #expect(try await words(names[3], in: store) == [["a"], ["a"]])
        #expect(seen.withLock(\.self) == Set(names.map(StoredValue.text)))
        try await store.rebuildSearchIndex()
        let found = try await store.perform { context in
            try ["c", "b\0c", "c\0b", "op\0", "\0open", "a\0secret", "bc", "\0"].map { query in
                try context.fetch(FetchRequest("Human", where: .search(.all(query)))).count
            }
        }
        // A NUL separates words, and a query without words matches all objects.
        #expect(found == [1, 1, 1, 1, 1, 0, 0, 4])
    }

    @Test(.parity("P302")) func closureIsToldOfIndexedObjects() async throws {
        let told = Mutex<[[ManagedObjectID]]>([])
        let store = try await open(
            SearchConfiguration(
                includesObject: { $0["name"] != .text("secret") },
                didIndexObjects: { [files] ids in
                    // The words are committed.
                    let words = try? files.rows("SELECT count(*) FROM restkit_search_Human")
                    #expect(words == [["1"]])
                    told.withLock { $0.append(ids) }
                }), attributes: ["Human": ["name"]])
        let id = try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue("open" as String?, "name")
            try context.insert(entity: "Human").setValue("secret" as String?, "name")
            _ = try context.insert(entity: "Cat")
            try context.save()
            // Neither another attribute nor a failed save writes words.
            try human.setValue("other" as String?, "nickName")
            try context.save()
            try human.setValue("failed" as String?, "name")
            context.willSave = { _ in throw CancellationError() }
            #expect(throws: PersistenceError.self) { try context.save() }
            context.willSave = nil
            try human.setValue("closed" as String?, "name")
            try context.save()
            return human.objectID
        }
        let all = told.withLock(\.self)
        #expect(all == [[id], [id]])
    }

    @Test(.parity("K109", "K110", "K112")) func indexesCollectionsAndNumbers() async throws {
        let store = try await open()
        let words = try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue("Zoë's  $ Café" as String?, "name")
            try human.setValue(39 as Int?, "railsID")
            try human.setValue(["Önë", "two"] as [String]?, "catIDs")
            try context.save()
            let first = try context.searchWords(of: human)
            try human.setValue("New" as String?, "name")
            try context.save()
            return [first, try context.searchWords(of: human)]
        }
        #expect(
            words == [["zoe's", "$", "cafe", "39", "one", "two"], ["new", "39", "one", "two"]])
    }

    /// The trigger of the count is a change of a searchable attribute only.
    @Test(.parity("K113")) func indexesChangedWordsOnly() async throws {
        let store = try await open()
        try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue("a" as String?, "name")
            try context.save()
        }
        // Other words than those of the row show whether the index is written.
        try files.execute("UPDATE restkit_search_Human SET name = 'other'")
        func words(_ name: String, _ value: String) async throws -> [[String]] {
            try await store.perform { context in
                let human = try #require(context.fetch(FetchRequest("Human")).first)
                try human.setValue(value as String?, name)
                try context.save()
            }
            return try files.rows("SELECT name FROM restkit_search_Human")
        }
        #expect(try await words("nickName", "b") == [["other"]])
        #expect(try await words("name", "c") == [["c"]])
        // An entity without searchable attributes cannot be searched.
        let error = try await store.perform { context in
            #expect(throws: PersistenceError.self) { _ = try context.search("Plain", .all("a")) }
        }
        #expect(error?.code == .unknownEntity)
    }

    @Test func removesWordsOfDeletedObjects() async throws {
        let store = try await open()
        _ = try await words("a", in: store)
        try await store.perform { context in
            for human in try context.fetch(FetchRequest("Human")) { context.delete(human) }
            try context.save()
        }
        #expect(try files.rows("SELECT * FROM restkit_search_Human") == [])
    }

    @Test func otherStopWordsRebuildIndex() async throws {
        let store = try await open()
        _ = try await words("this is it", in: store)
        try store.close()
        let other = try await open(
            SearchConfiguration(tokenizer: SearchTokenizer(stopWords: ["is"])))
        #expect(try files.rows("SELECT name FROM restkit_search_Human") == [["this it"]])
        try files.execute("DELETE FROM restkit_search_Human")
        try await other.rebuildSearchIndex()
        #expect(try files.rows("SELECT name FROM restkit_search_Human") == [["this it"]])
    }

    @Test func migrationKeepsIndex() async throws {
        let store = try await open(attributes: ["Cat": ["name"]])
        _ = try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue("Blake" as String?, "name")
            try context.save()
        }
        try store.close()
        let refused = await #expect(throws: PersistenceError.self) { _ = try await open() }
        #expect(refused?.code == .modelMismatch)
        let migrated = try await open(.init(), .automatic)
        let names = try await migrated.perform { context in
            try context.search("Human", .all("bla")).map {
                try $0.object.value("name", as: String?.self)
            }
        }
        #expect(names == ["Blake"])
    }

    @Test func failedSaveWritesNoWords() async throws {
        let store = try await open()
        try await store.perform { context in
            defer { context.rollback() }
            let human = try context.insert(entity: "Human")
            try human.setValue("a" as String?, "name")
            context.willSave = { _ in throw CancellationError() }
            #expect(throws: PersistenceError.self) { try context.save() }
        }
        #expect(try files.rows("SELECT * FROM restkit_search_Human") == [])
    }
}
