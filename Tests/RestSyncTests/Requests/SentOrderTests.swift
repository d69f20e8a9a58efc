// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Album: ManagedObject {
    @Identity var id: Int
    @Inverse(\Track.album) var tracks: [Track]
}

@Entity private final class Track: ManagedObject {
    @Identity var id: Int
    var title: String?
    var album: Album?
}

/// Requests that contain an order, or the reference that a position follows from.
@MainActor @Suite(.tags(.socket)) struct SentOrderTests {
    private func run(
        _ body: (ObjectManager, TemporaryStore, [Album]) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([Album.self, Track.self])
        try await LoopbackServer.run({ _ in LoopbackResponse(status: 204) }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(RequestDescriptor(RequestMapping(for: Album.self, ["id", "tracks"])))
            try api.add(RequestDescriptor(RequestMapping(for: Track.self, ["id", "album"])))
            let context = temporary.store.mainContext
            let albums = try (1...2).map { try Album.insert(into: context, id: $0) }
            albums[0].tracks = try (1...3).map { try Track.insert(into: context, id: $0) }
            albums[1].tracks = try (4...5).map { try Track.insert(into: context, id: $0) }
            try await context.save()
            try await body(api, temporary, albums)
        }
    }

    private func order(_ temporary: TemporaryStore) async throws -> [[Int]] {
        try await temporary.store.read { context in
            try context.fetch(Album.self, orderBy: \.id).map { $0.tracks.map(\.id) }
        }
    }

    @Test func movedMembersAreSavedWithTheirOwner() async throws {
        try await run { api, temporary, albums in
            albums[0].tracks.reverse()
            albums[1].tracks.reverse()
            albums[0].tracks[0].title = "edited"
            try await api.put(albums[0], at: "albums/1")
            #expect(try await order(temporary) == [[3, 2, 1], [4, 5]])
            #expect(albums[0].tracks[0].changedValues == ["title": .text("edited")])
            try await api.put(albums[1], at: "albums/2")
            #expect(try await order(temporary) == [[3, 2, 1], [5, 4]])
            albums[0].tracks[0].title = nil
            #expect(albums[0].tracks[0].changedValues.isEmpty)
            try await temporary.store.mainContext.save()
            #expect(!temporary.store.mainContext.hasChanges)
        }
    }

    @Test func joiningMemberIsSavedWithItsPosition() async throws {
        try await run { api, temporary, albums in
            let track = albums[0].tracks[0]
            track.album = albums[1]
            try await api.put(track, at: "tracks/1")
            #expect(try await order(temporary) == [[2, 3], [4, 5, 1]])
            #expect(!temporary.store.mainContext.hasChanges)
        }
    }
}
