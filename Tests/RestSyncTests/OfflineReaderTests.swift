// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Entity final class Report: ManagedObject {
    @Identity var number: Int
    @Searchable var title: String
    @MappedKey("user") var reporter: Reporter?
}

@Entity final class Reporter: ManagedObject {
    @Identity var login: String
    @Inverse(\Report.reporter) var reports: Set<Report>
}

@MainActor final class Reader {
    static let path = "repos/octokit-fixture-org/paginate-issues/issues"
    let reports: LiveList<Report>

    init(_ api: ObjectManager, _ store: ManagedObjectStore) throws {
        reports = try LiveList(
            at: Self.path, parameters: ["per_page": 3], by: api, in: store,
            maximumAge: .seconds(300))
    }

    var lines: [String] {
        reports.objects.map { "\($0.number) \($0.title), by \($0.reporter?.login ?? "unknown")" }
    }

    var status: String {
        if reports.phase.isLoading { return "loading" }
        if reports.phase.error != nil { return "offline" }
        return reports.phase.isFresh ? "up to date" : "stored"
    }
}

/// The program of the article "A reader that works offline", against recorded responses.
@MainActor
@Suite(
    .tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct OfflineReaderTests {
    private static let lines = [13, 12, 11].map {
        "\($0) Test issue \($0), by octokit-fixture-user-a"
    }

    private let temporary: TemporaryStore
    private var file: URL { temporary.directory.appending(path: "reports.sqlite") }

    init() async throws { temporary = try await TemporaryStore() }

    /// Every line of code in the article is in this file.
    @Test func containsEveryLineOfArticle() throws {
        let code = try ArticleCode(
            of: "RestSync", article: "OfflineReader.md", besides: #filePath)
        #expect(code.articleCount == 1)
        #expect(try code.lines(missingIn: #filePath) == [])
    }

    @Test func showsStoredReportsAndRefreshesThem() async throws {
        try await ReplayServer.run("recorded/github/paginate-issues.json") { server in
            let connection = Connection()
            let baseURL = server.baseURL
            try await start(baseURL, connection) { reader, _, _ in
                await wait(for: "offline", of: reader)
                #expect(reader.lines == [])
                connection.isCut.withLock { $0 = false }
                try await reader.reports.refresh()
                #expect(reader.status == "up to date")
                #expect(reader.lines == Self.lines)
            }
            let requestCount = server.requests.count
            connection.isCut.withLock { $0 = true }
            // Another start shows the rows at once, and sends no request.
            try await start(baseURL, connection) { reader, api, store in
                while reader.lines.isEmpty { await Task.yield() }
                #expect(reader.lines == Self.lines)
                #expect(reader.status == "stored")
                do {
                    try await reader.reports.refresh()
                } catch let error as NetworkingError {
                    print("the list is as it was:", error.code)
                    #expect(error.code == .transportFailed)
                }
                #expect(reader.status == "offline")
                #expect(reader.lines == Self.lines)
                let list = try await api.collection(
                    at: Reader.path, parameters: ["per_page": 3], in: store)
                print("as of", list?.fetchedAt ?? .distantPast)
                #expect(list?.objectIDs.count == 3)
                let found = try store.mainContext.search(Report.self, .all("issue 12"))
                print(found.map(\.object.title))
                #expect(found.map(\.object.number) == [12])
                #expect(server.requests.count == requestCount)
                connection.isCut.withLock { $0 = false }
                try await reader.reports.refresh()
                #expect(reader.status == "up to date")
                #expect(reader.lines == Self.lines)
            }
        }
    }

    /// A connection, which is cut at first.
    private final class Connection: Sendable {
        let isCut = Mutex(true)
    }

    /// Runs the program with a connection that can be cut.
    private func start(
        _ baseURL: String, _ connection: Connection,
        _ body: (Reader, ObjectManager, ManagedObjectStore) async throws -> Void
    ) async throws {
        let store = try await ManagedObjectStore(at: file, entities: Report.self, Reporter.self)
        let api = try ObjectManager(baseURL: baseURL)
        let plan = FaultPlan { _, _ in
            connection.isCut.withLock(\.self) ? .reset(at: .connecting) : nil
        }
        api.client.transport = FaultInjectingTransport(api.client.transport, plan: plan)
        let reader = try Reader(api, store)
        print(reader.status, reader.lines)
        try await body(reader, api, store)
        try store.close()
    }

    private func wait(for status: String, of reader: Reader) async {
        while reader.status != status { await Task.yield() }
    }
}
