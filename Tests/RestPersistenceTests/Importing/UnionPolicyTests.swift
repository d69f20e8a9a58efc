// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import Testing

/// The policy `union` of ordered relationships, in a join table and beside foreign keys.
@Suite struct UnionPolicyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let entities = [
        EntityDescription(
            "Playlist", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toMany("songs", "Song", isOrdered: true),
                .toMany("notes", "Song", inverse: "playlist", isOrdered: true),
            ]),
        EntityDescription(
            "Song", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [.toOne("playlist", "Playlist")]),
    ]

    @Test(arguments: ["songs", "notes"])
    func appendsNewDestinationsInOrder(_ relationship: String) async throws {
        let store = try await files.open(Self.entities)
        var song = ObjectMapping(table: try #require(store.model.properties(of: "Song")))
        song.add(["id": "id"])
        var playlist = ObjectMapping(table: try #require(store.model.properties(of: "Playlist")))
        playlist.add(["id": "id"])
        playlist.add(
            RelationshipMapping(
                SourcePath([.key("list")]), to: relationship, mapping: song, assignment: .union))
        let plan = try EntityMappingPlan(EntityMapping(playlist), in: store.model)
        var orders: [[Int]] = []
        for list in ["[5, 1, 3]", "[2, 3, 9, 5, 4]", "[]"] {
            let songs = try Document(parsing: list).root.elements.compactMap(\.int64)
            let text = songs.map { "{\"id\": \($0)}" }.joined(separator: ", ")
            let document = try Document(parsing: "{\"id\": 1, \"list\": [\(text)]}")
            _ = try await store.importObjects(from: document.root, by: plan)
            orders.append(
                try await store.read { context in
                    try context.fetch(FetchRequest("Playlist"))[0].related(relationship).map {
                        try $0.value("id", as: Int.self)
                    }
                })
        }
        #expect(orders == [[5, 1, 3], [5, 1, 3, 2, 9, 4], [5, 1, 3, 2, 9, 4]])
    }
}
