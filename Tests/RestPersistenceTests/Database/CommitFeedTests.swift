// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct CommitFeedTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func namesEveryInsertOnce() async throws {
        let store = try await files.open()
        let commits = store.commits
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let context = store.makeContext()
                    for number in 0..<25 {
                        try context.insert(Terminal.self).number = task * 100 + number
                        try await context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        try store.close()
        var inserted: [Int64] = []
        for await commit in commits { inserted += commit.insertedIDs.map(\.key) }
        let rows = try files.rows("SELECT restkit_key FROM Terminal")
        #expect(inserted.count == 100)
        #expect(Set(inserted.map(String.init)) == Set(rows.joined()))
    }

    @Test func namesChangesOfJoinTables() async throws {
        let store = try await files.open()
        var commits = store.commits.makeAsyncIterator()
        let context = store.makeContext()
        let airline = try context.insert(Airline.self)
        airline.code = "SK"
        let terminal = try context.insert(Terminal.self)
        terminal.number = 1
        try await context.save()
        _ = await commits.next()
        terminal.airlines = [airline]
        try await context.save()
        let commit = try #require(await commits.next())
        #expect(commit.insertedIDs.isEmpty && commit.updatedIDs.isEmpty)
        #expect(commit.changedProperties(of: terminal.objectID) == ["airlines"])
        #expect(commit.changedProperties(of: airline.objectID) == ["terminals"])
        #expect(!commit.hasUnnamedChanges)
    }

    /// A context that has not read for long holds a long list of commits.
    @Test func releasesManyUnreadCommits() async throws {
        let store = try await files.open()
        do {
            let idle = store.makeContext()
            try await store.perform { context in
                let terminal = try context.insert(Terminal.self)
                for number in 0..<20_000 {
                    terminal.number = number
                    try context.save()
                }
            }
            #expect(!idle.hasChanges)
        }
        #expect(try files.rows("SELECT number FROM Terminal") == [["19999"]])
    }
}
