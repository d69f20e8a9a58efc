// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import RestPersistence
import TestSupport
import Testing

/// The program `sqlite3` reads the search index, and writes its table, without functions of the library.
@Suite struct SearchShellTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let entity = EntityDescription(
        "Article",
        attributes: [
            AttributeDescription("title", .text),
            AttributeDescription("body", .text, isOptional: true),
        ])

    private func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file,
            model: ManagedObjectModel(
                [Self.entity],
                search: SearchConfiguration(attributes: ["Article": ["title", "body"]])))
    }

    private func titles(_ query: String) throws -> [String] {
        try SQLiteShell.run(
            """
            SELECT a.title FROM restkit_search_Article s
            JOIN Article a ON a.restkit_key = s.rowid
            WHERE restkit_search_Article MATCH '\(query)' ORDER BY a.title
            """, in: files.file)
    }

    @Test func findsRowsByMatch() async throws {
        let store = try await open()
        try await store.perform { context in
            for (title, body) in [
                ("Crème", "A ferry to Oslo"), ("Fjörds", "Near OSLO and Bergen"),
                ("Trains", "From Oslo"),
            ] {
                let article = try context.insert(entity: "Article")
                try article.setValue(title, "title")
                try article.setValue(body as String?, "body")
            }
            try context.save()
        }
        // The store is open while the other program reads.
        #expect(try titles(#""oslo" *"#) == ["Crème", "Fjörds", "Trains"])
        #expect(try titles(#""fjord" * AND "oslo" *"#) == ["Fjörds"])
        #expect(try titles(#""oslo" NOT "ferry""#) == ["Fjörds", "Trains"])
        #expect(try titles(#"title : "creme""#) == ["Crème"])
        #expect(try titles(#""near oslo""#) == ["Fjörds"])
        #expect(try titles(#""stockholm""#) == [])
        try store.close()
        #expect(try titles(#""fjord" *"#) == ["Fjörds"])
        #expect(
            try SQLiteShell.run(
                "INSERT INTO restkit_search_Article(restkit_search_Article) VALUES('integrity-check');"
                    + "PRAGMA integrity_check", in: files.file) == ["ok"])
    }

    @Test func indexesRowsOfShellAtRebuilding() async throws {
        let store = try await open()
        _ = try SQLiteShell.run(
            """
            BEGIN IMMEDIATE;
            UPDATE restkit_store SET next_key = next_key + 1;
            INSERT INTO Article (restkit_key, title)
            SELECT next_key - 1, 'Lakes' FROM restkit_store;
            COMMIT
            """, in: files.file)
        #expect(try titles(#""lakes""#) == [])
        try await store.rebuildSearchIndex()
        #expect(try titles(#""lakes""#) == ["Lakes"])
        let found = try await store.read {
            try $0.count(FetchRequest("Article", where: .search(.all("lake"))))
        }
        #expect(found == 1)
    }
}
#endif
