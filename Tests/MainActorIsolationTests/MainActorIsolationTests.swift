// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestKit
import RestTesting
import Testing

/// Tests of the macros in a module whose default isolation is the main actor.
@Suite struct MainActorIsolationTests {
    private let manager: ObjectManager
    private let json = #"""
        {"title": "News", "articles": [
            {"id": 1, "title": "One", "publication_date": "2026-01-02T03:04:05Z", "tags": ["a"],
             "author": {"name": "Ada", "follower": [{"name": "Bo"}]}},
            {"id": 2, "title": "Two"}
        ]}
        """#

    init() throws {
        let json = json
        let transport = StubTransport { request in
            request.url.text.hasSuffix("airports")
                ? .json(
                    #"[{"code": "OSL", "name": "Oslo", "terminals": [{"id": 1}, {"id": 2}]}]"#,
                    to: request)
                : .json(json, to: request)
        }
        manager = ObjectManager(
            client: try HTTPClient(baseURL: "https://api.example.com/", transport: transport))
    }

    @Test func mapsStructuresAndClasses() async throws {
        let feed: Feed = try await manager.get("feed")
        #expect(feed.title == "News")
        #expect(feed.articles.map(\.id) == [1, 2])
        #expect(feed.articles[0].author?.follower.map(\.name) == ["Bo"])
        #expect(feed.articles[0].publishedAt != nil)
        #expect(feed.articles[1].tags == [])
    }

    @Test func declaresMappingsByKeyPaths() throws {
        let mapping = ObjectMapping(for: Article.self) {
            attribute("number", to: \.id)
            attribute("headline", to: \.title)
        }
        let plan = try MappingCompiler().compile(mapping)
        let document = try Document(parsing: #"{"number": 3, "headline": "Three"}"#)
        #expect(try plan.object(Article.self, from: document.root).title == "Three")
    }

    @Test func storesAndFetchesManagedObjects() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "restkit-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await ManagedObjectStore(
            at: folder.appending(path: "airports.db"), entities: Airport.self, Terminal.self)
        let airports = try await manager.getObjects(
            Airport.self, at: "airports", in: store.mainContext)
        #expect(airports.map(\.code) == ["OSL"])
        let large = try store.mainContext.fetch(
            Airport.self, where: { $0.terminals.count > 1 }, orderBy: \.name)
        #expect(large.first?.terminals.count == 2)
    }
}
#endif
