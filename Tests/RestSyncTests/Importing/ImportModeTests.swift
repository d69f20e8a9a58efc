// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Shelf: ManagedObject {
    @Identity var id: Int
    var name: String
    @Inverse(\Volume.shelf) var volumes: Set<Volume>
}

@Entity private final class Volume: ManagedObject {
    @Identity var id: Int
    var title: String
    var shelf: Shelf?
    var tags: Set<Keyword>
}

@Entity private final class Keyword: ManagedObject {
    @Identity var id: Int
    var name: String
}

/// The effect of insert-only, update-only and delete-only imports, by every way into a store.
@MainActor @Suite(.tags(.socket)) struct ImportModeTests {
    /// A way of a document into the store.
    private enum Way: CaseIterable {
        case documentIntoStore, documentIntoContext, requestIntoStore, requestIntoContext
        case pagesIntoStore, pagesIntoContext, importerInChunks, importerAtEnd
    }

    /// A mode, the rows that it leaves, and the counts.
    private struct Expectation {
        let mode: ImportMode
        let volumes: [String]
        let shelves: [String]
        let tags: [String]
        let links: [String]
        /// Inserted, updated, deleted and left out, of each entity.
        let counts: [String: [Int]]
    }

    private nonisolated static let expectations = [
        Expectation(
            mode: .insertAndUpdate, volumes: ["1|new|1", "2|new|1", "3|new|2"],
            shelves: ["1|new", "2|new"], tags: ["1|new", "2|new"], links: ["1|2", "2|1", "2|2"],
            counts: ["Volume": [2, 1, 0, 0], "Shelf": [1, 1, 0, 0], "Keyword": [1, 1, 0, 0]]),
        Expectation(
            mode: .insertOnly, volumes: ["1|old|1", "2|new|1", "3|new|2"],
            shelves: ["1|old", "2|new"], tags: ["1|old", "2|new"],
            links: ["1|1", "1|2", "2|1", "2|2"],
            counts: ["Volume": [2, 0, 0, 1], "Shelf": [1, 0, 0, 1], "Keyword": [1, 0, 0, 1]]),
        Expectation(
            mode: .updateOnly, volumes: ["1|new|1"], shelves: ["1|new"], tags: ["1|new"],
            links: [],
            counts: ["Volume": [0, 1, 0, 2], "Shelf": [0, 1, 0, 1], "Keyword": [0, 1, 0, 1]]),
        Expectation(
            mode: .deleteOnly, volumes: [], shelves: ["1|old"], tags: ["1|old"], links: [],
            counts: ["Volume": [0, 0, 1, 2], "Shelf": [0, 0, 0, 2], "Keyword": [0, 0, 0, 2]]),
    ]

    private nonisolated static let document = """
        [{"id":1,"title":"new","shelf":{"id":1,"name":"new"},"tags":[{"id":2,"name":"new"}]},
         {"id":2,"title":"new","shelf":{"id":1,"name":"new"},
          "tags":[{"id":1,"name":"new"},{"id":2,"name":"new"}]},
         {"id":3,"title":"new","shelf":{"id":2,"name":"new"},"tags":[]}]
        """

    private func store() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore([Shelf.self, Volume.self, Keyword.self])
        try await temporary.store.write { context in
            let volume = try Volume.insert(into: context, id: 1, title: "old")
            volume.shelf = try Shelf.insert(into: context, id: 1, name: "old")
            volume.tags = [try Keyword.insert(into: context, id: 1, name: "old")]
        }
        return temporary
    }

    /// Imports a text by a way, and returns the counts.
    private func run(
        _ text: String, by mapping: EntityMapping, _ way: Way, into store: ManagedObjectStore
    ) async throws -> [String: ImportCounts] {
        let context = store.mainContext
        let plan = try EntityMappingPlan(mapping, in: store.model)
        switch way {
        case .documentIntoStore:
            let document = try Document(parsing: text)
            return try await store.importObjects(from: document.root, by: plan).counts
        case .documentIntoContext:
            let document = try Document(parsing: text)
            let result = try context.importObjects(from: document.root, by: plan)
            try await context.save()
            return result.counts
        case .importerInChunks, .importerAtEnd:
            let importer = ManagedObjectImporter(
                store,
                configuration: .init(saving: way == .importerAtEnd ? .whenFinished : .chunks))
            let chunks = AsyncStream { continuation in
                continuation.yield(Array(text.utf8))
                continuation.finish()
            }
            try await importer.importObjects(from: chunks, named: "volumes", by: mapping)
            return try await importer.finish().counts
        default: break
        }
        return try await LoopbackServer.run({ _ in .json(text) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(mapping, at: "volumes"))
            var counts: [String: ImportCounts] = [:]
            switch way {
            case .requestIntoStore:
                counts = try await api.getObjects(Volume.self, at: "volumes", into: store).counts
            case .requestIntoContext:
                _ = try await api.getObjects(Volume.self, at: "volumes", in: context)
            case .pagesIntoStore:
                for try await page in api.pages(
                    of: Volume.self, at: "volumes", by: .linkHeader, into: store)
                {
                    counts = page.result.counts
                }
            default:
                for try await page in api.pages(
                    of: Volume.self, at: "volumes", by: .linkHeader, in: context)
                {
                    counts = page.page.result.counts
                }
            }
            return counts
        }
    }

    private func check(_ expected: Expectation, _ temporary: TemporaryStore) throws {
        #expect(
            try temporary.rows(
                "SELECT v.id, v.title, s.id FROM Volume v "
                    + "LEFT JOIN Shelf s ON s.restkit_key = v.shelf ORDER BY v.id")
                == expected.volumes)
        #expect(try temporary.rows("SELECT id, name FROM Shelf ORDER BY id") == expected.shelves)
        #expect(try temporary.rows("SELECT id, name FROM Keyword ORDER BY id") == expected.tags)
        #expect(
            try temporary.rows(
                "SELECT v.id, t.id FROM Volume_tags l JOIN Volume v ON v.restkit_key = l.source "
                    + "JOIN Keyword t ON t.restkit_key = l.target ORDER BY v.id, t.id")
                == expected.links)
    }

    @Test(arguments: Way.allCases, expectations)
    private func modeLimitsEveryWay(_ way: Way, _ expected: Expectation) async throws {
        let temporary = try await store()
        let volume = try #require(try temporary.store.mainContext.fetch(Volume.self).first)
        let title = volume.title
        var mapping = EntityMapping(Volume.self)
        mapping.mode = expected.mode
        let counts = try await run(Self.document, by: mapping, way, into: temporary.store)
        try check(expected, temporary)
        if way != .requestIntoContext {
            #expect(
                counts.mapValues { [$0.inserted, $0.updated, $0.deleted, $0.leftOut] }
                    == expected.counts)
        }
        // The objects of the context follow.
        let stays = try temporary.store.mainContext.fetch(Volume.self).contains { $0 === volume }
        #expect(title == "old" && stays == (expected.mode != .deleteOnly))
        if stays { #expect("1|\(volume.title)|1" == expected.volumes[0]) }
        // Importing again changes nothing.
        _ = try await run(Self.document, by: mapping, way, into: temporary.store)
        try check(expected, temporary)
    }

    // MARK: Later writes

    /// A mode, and the volumes 1 to 3 afterwards: the first was written, the second is as it was, and the third
    /// is new or was deleted.
    private nonisolated static let laterWrites: [(mode: ImportMode, volumes: [String])] = [
        (.insertAndUpdate, ["1|edited", "2|server", "4|server"]),
        (.insertOnly, ["1|edited", "2|old", "4|server"]), (.updateOnly, ["1|edited", "2|server"]),
        (.deleteOnly, ["1|edited"]),
    ]

    /// A slow answer changes, deletes and revives nothing that was written since, in any mode.
    @Test(arguments: laterWrites.indices, [false, true])
    func modeRespectsLaterWrites(_ index: Int, inContext: Bool) async throws {
        let (mode, expected) = Self.laterWrites[index]
        let temporary = try await TemporaryStore([Shelf.self, Volume.self, Keyword.self])
        let context = temporary.store.mainContext
        let volumes = try (1...3).map { try Volume.insert(into: context, id: $0, title: "old") }
        try await context.save()
        let gate = Gate()
        try await LoopbackServer.run { _ in
            await gate.pass()
            return .json(
                "[" + (1...4).map { #"{"id":\#($0),"title":"server"}"# }.joined(separator: ",")
                    + "]")
        } body: { server in
            let api = try manager(at: server.baseURL)
            var mapping = EntityMapping(Volume.self)
            mapping.mode = mode
            try api.add(ResponseDescriptor(mapping, at: "volumes"))
            let slow = Task {
                if inContext {
                    _ = try await api.getObjects(Volume.self, at: "volumes", in: context)
                } else {
                    _ = try await api.getObjects(
                        Volume.self, at: "volumes", into: temporary.store)
                }
            }
            await gate.arrivals()
            volumes[0].title = "edited"
            context.delete(volumes[2])
            try await context.save()
            gate.open()
            try await slow.value
        }
        #expect(try temporary.rows("SELECT id, title FROM Volume ORDER BY id") == expected)
    }
}
