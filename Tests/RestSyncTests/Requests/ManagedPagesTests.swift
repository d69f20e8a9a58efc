// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The import of pages of recorded GitHub responses.
@Suite(.tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct ManagedPagesTests {
    private let recording = "recorded/github/paginate-issues.json"
    private let path = "repos/octokit-fixture-org/paginate-issues/issues"

    @Test func importsRowsAndRelationshipsOfEveryPage() async throws {
        let temporary = try await TemporaryStore()
        try await ReplayServer.run(recording) { server in
            let pages = try await walk(server, into: temporary.store)
            #expect(server.requests.count == 5)
            #expect(pages.map(\.objectIDs.count) == [3, 3, 3, 3, 1])
            #expect(pages.map(\.changes.inserted) == [4, 3, 3, 3, 1])
            #expect(pages.allSatisfy { $0.report.issueCount == 0 })
        }
        let issues = try temporary.rows(
            """
            SELECT i.id, i.number, i.title, i.state, i.closedAt, i.isLocked, u.id, u.login, u.isAdmin
            FROM Issue i JOIN User u ON u.restkit_key = i.user ORDER BY i.id
            """)
        #expect(
            issues
                == (0..<13).map { index in
                    let number = 13 - index
                    return "\(1000 + index)|\(number)|Test issue \(number)|open|-|0|"
                        + "1000|octokit-fixture-user-a|0"
                })
        #expect(try temporary.rows("SELECT count(*) FROM User") == ["1"])
        #expect(
            try temporary.rows("SELECT DISTINCT substr(createdAt, 1, 19) FROM Issue")
                == ["2017-10-10T16:00:00"])
    }

    @Test func secondIterationWritesNoRow() async throws {
        let temporary = try await TemporaryStore()
        try await ReplayServer.run(recording) { server in
            let first = try await walk(server, into: temporary.store)
            let content = try temporary.rows("SELECT * FROM Issue ORDER BY restkit_key")
            let version = try temporary.rows("PRAGMA data_version")
            let second = try await walk(server, into: temporary.store)
            #expect(second.map(\.objectIDs) == first.map(\.objectIDs))
            for page in second {
                #expect(page.changes.inserted + page.changes.updated + page.changes.deleted == 0)
            }
            #expect(
                try temporary.rows("SELECT * FROM Issue ORDER BY restkit_key") == content)
            #expect(try temporary.rows("PRAGMA data_version") == version)
        }
    }

    @Test(arguments: [false, true])
    func resumesAfterSavedPage(prefetching: Bool) async throws {
        let temporary = try await TemporaryStore()
        try await ReplayServer.run(recording) { server in
            var pages = try manager(at: server.baseURL).pages(
                of: Issue.self, at: path, parameters: ["per_page": 3], by: .linkHeader,
                into: temporary.store)
            pages.prefetchesNextPage = prefetching
            var saved: Data?
            for try await page in pages where page.index == 1 {
                saved = try JSONEncoder().encode(page.nextPosition)
                break
            }
            #expect(try temporary.rows("SELECT count(*) FROM Issue") == ["6"])
            pages.start = try JSONDecoder().decode(PagePosition.self, from: try #require(saved))
            var indices: [Int] = []
            for try await page in pages { indices.append(page.index) }
            #expect(indices == [2, 3, 4])
            #expect(try temporary.rows("SELECT count(*) FROM Issue") == ["13"])
        }
    }

    @Test @MainActor func returnsObjectsAndRelationshipsOfMainContext() async throws {
        let temporary = try await TemporaryStore()
        try await ReplayServer.run(recording) { server in
            let context = temporary.store.mainContext
            let issues = try await manager(at: server.baseURL).getObjects(
                Issue.self, at: path, parameters: ["per_page": 3], in: context)
            #expect(issues.map(\.number) == [13, 12, 11])
            let user = try #require(issues.first?.user)
            #expect(user.login == "octokit-fixture-user-a")
            #expect(user.issues == Set(issues))
            let fetched = try context.fetch(
                Issue.self, where: { $0.number > 11 }, orderBy: \.number)
            #expect(fetched.map(\.id) == [1001, 1000])
            #expect(fetched.last === issues.first)
        }
    }

    private func walk(
        _ server: LoopbackServer, into store: ManagedObjectStore
    ) async throws -> [ManagedPage] {
        let pages = try manager(at: server.baseURL).pages(
            of: Issue.self, at: path, parameters: ["per_page": 3], by: .linkHeader, into: store)
        var results: [ManagedPage] = []
        for try await page in pages { results.append(page) }
        return results
    }
}
