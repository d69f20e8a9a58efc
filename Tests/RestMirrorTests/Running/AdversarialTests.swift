// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Mirrors of an API that changes while it is read, and fails.
///
/// Set `RESTKIT_MIRROR_SEEDS` for more seeds than two.
@Suite(.tags(.socket)) struct AdversarialTests {
    private static let seeds = 1...(TestEnvironment.number("RESTKIT_MIRROR_SEEDS") ?? UInt64(2))

    private static func rows(_ file: MirrorFile) throws -> [String] {
        try file.rows("SELECT id, name, updated FROM Item ORDER BY id")
    }

    private static func expected(_ api: AdversarialAPI) -> [String] {
        api.records.sorted { $0.id < $1.id }.map { "\($0.id)|\($0.name)|\($0.updated)" }
    }

    @Test(arguments: AdversarialAPI.Paging.allCases)
    func readsEveryPage(_ paging: AdversarialAPI.Paging) async throws {
        let file = try MirrorFile()
        try await AdversarialAPI.run(.init(paging: paging)) { api in
            api.insert(count: 47)
            let summary = try await file.run(.items(at: api.baseURL, by: paging))
            #expect(summary.isComplete)
            #expect(summary.rows.inserted == 47)
            #expect(try Self.rows(file) == Self.expected(api))
        }
    }

    @Test(arguments: AdversarialAPI.Paging.allCases)
    func secondRunWritesNothing(_ paging: AdversarialAPI.Paging) async throws {
        let file = try MirrorFile()
        try await AdversarialAPI.run(.init(paging: paging)) { api in
            api.insert(count: 47)
            try await file.run(.items(at: api.baseURL, by: paging))
            let first = try file.content()
            let requestCount = api.requestCount
            let summary = try await file.run(.items(at: api.baseURL, by: paging))
            #expect(summary.rows.hasChanges == false)
            #expect(api.requestCount == 2 * requestCount)
            #expect(try file.content() == first)
        }
    }

    @Test(arguments: AdversarialAPI.Paging.allCases, [false, true])
    func deletesWhatTheServerHasDeleted(
        _ paging: AdversarialAPI.Paging, hasEntityTags: Bool
    ) async throws {
        let file = try MirrorFile()
        var behavior = AdversarialAPI.Behavior(paging: paging, seed: 3)
        behavior.hasEntityTags = hasEntityTags
        try await AdversarialAPI.run(behavior) { api in
            api.insert(count: 60)
            try await file.run(.items(at: api.baseURL, by: paging))
            api.remove(count: 25)
            api.touch(count: 5)
            let summary = try await file.run(.items(at: api.baseURL, by: paging))
            #expect(summary.deletedCount == 25)
            #expect(try Self.rows(file) == Self.expected(api))
            api.remove(count: 35)
            try await file.run(.items(at: api.baseURL, by: paging))
            #expect(try Self.rows(file) == [])
        }
    }

    /// While the list changes and requests fail, no row is deleted that the server has, and after a run
    /// without changes the rows are those of the server.
    @Test(.tags(.slow), arguments: AdversarialAPI.Paging.allCases, Self.seeds)
    func convergesWithoutDeletingRowsOfTheServer(
        _ paging: AdversarialAPI.Paging, seed: UInt64
    ) async throws {
        let file = try MirrorFile()
        var behavior = AdversarialAPI.Behavior(paging: paging, seed: seed)
        behavior.failureShare = 0.2
        behavior.changeShare = 0.5
        behavior.hasEntityTags = seed % 2 == 0
        try await AdversarialAPI.run(behavior) { api in
            api.insert(count: 80)
            for round in 0..<12 {
                api.change { $0.changeShare = round % 3 == 2 ? 0.05 : 0.5 }
                if round % 4 == 3 { api.remove(count: 5) }
                let before = Set((try? file.integers("SELECT id FROM Item")) ?? [])
                try await file.run(.items(at: api.baseURL, by: paging))
                let after = Set(try file.integers("SELECT id FROM Item"))
                let onServer = Set(api.records.map(\.id))
                #expect(before.subtracting(after).isDisjoint(with: onServer))
            }
            api.change {
                $0.changeShare = 0
                $0.failureShare = 0
            }
            let summary = try await file.run(.items(at: api.baseURL, by: paging))
            #expect(summary.isComplete)
            #expect(try Self.rows(file) == Self.expected(api))
        }
    }

    @Test func endsAtCursorThatLeadsBack() async throws {
        let file = try MirrorFile()
        var behavior = AdversarialAPI.Behavior(paging: .cursor)
        behavior.loops = true
        try await AdversarialAPI.run(behavior) { api in
            api.insert(count: 50)
            let summary = try await file.run(.items(at: api.baseURL, by: .cursor))
            #expect(!summary.isComplete)
            #expect(summary.resources[0].failure?.contains("listDoesNotEnd") == true)
            #expect(api.requestCount < 6)
            #expect(try file.integers("SELECT count(*) FROM Item") == [20])
        }
    }

    /// All positions differ, and each page differs from the one before.
    @Test func endsAtPagesThatRepeatWithNewCursors() async throws {
        let file = try MirrorFile()
        var behavior = AdversarialAPI.Behavior(paging: .cursor)
        behavior.repeatsWithNewCursors = true
        try await AdversarialAPI.run(behavior) { api in
            api.insert(count: 50)
            let summary = try await file.run(
                .items(at: api.baseURL, by: .cursor), limit: RequestLimit(100))
            #expect(summary.resources[0].failure?.contains("listDoesNotEnd") == true)
            #expect(api.requestCount < 25)
            #expect(try file.integers("SELECT count(*) FROM Item") == [20])
        }
    }

    /// A cursor finds all changes although they occur while it is read.
    @Test(
        .tags(.slow),
        arguments: [AdversarialAPI.Paging.linkHeader, .pageNumber, .offset],
        Self.seeds)
    func cursorPassesNothingUnread(_ paging: AdversarialAPI.Paging, seed: UInt64) async throws {
        let file = try MirrorFile()
        var behavior = AdversarialAPI.Behavior(paging: paging, seed: seed)
        behavior.changeShare = 0.4
        behavior.failureShare = 0.1
        let cursor = CursorDefinition(
            .field("updated"), parameter: "since", format: .integer, order: .ascending)
        try await AdversarialAPI.run(behavior) { api in
            let definition = Definition.items(
                at: api.baseURL, by: paging, deletion: .none, cursor: cursor)
            api.insert(count: 60)
            for _ in 0..<10 {
                try await file.run(definition)
                api.touch(count: 12)
            }
            api.change {
                $0.changeShare = 0
                $0.failureShare = 0
            }
            try await file.run(definition)
            try await file.run(definition)
            let expected = Set(Self.expected(api))
            #expect(expected.subtracting(try Self.rows(file)) == [])
            // The last run was for changes only.
            #expect(api.queries.last?.contains("since=") == true)
        }
    }
}
