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
    let reports: RemoteList<Report>

    init(_ api: ObjectManager, _ store: ManagedObjectStore) throws {
        reports = try RemoteList(
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
            try await start(baseURL, connection, showing: Self.lines) { reader, api, store in
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

    @Test func keepsEditsUntilTheyAreSent() async throws {
        let tracker = Tracker()
        try await LoopbackServer.run({ tracker.answer($0) }) { server in
            let connection = Connection()
            try await start(server.baseURL, connection) { reader, api, store in
                connection.isCut.withLock { $0 = false }
                try await reader.reports.refresh()
                connection.isCut.withLock { $0 = true }
                try api.setRequestFormat(.json)
                try api.add(Route(Report.self, Reader.path + "/:number"))
                let outbox = try await Outbox(store: store, manager: api) { Sends(Report.self) }

                let edited = reader.reports.objects[0]
                edited.title = "Read this first"
                try await store.mainContext.save()
                try await outbox.drain()
                print(try await outbox.explain(edited) ?? "sent")
                #expect(try await outbox.state(of: edited) == .waiting)
                reader.reports.objects[2].title = "Read this last"
                try await store.mainContext.save()
                #expect(
                    try await titles(in: store) == ["Read this first", "b", "Read this last"])
                await outbox.close()
            }
            // The other changes of the server arrive at the next start, and the edits stay.
            tracker.titles.withLock { $0 = [1: "A", 2: "B", 3: "C"] }
            let lines = ["Read this first", "b", "Read this last"].enumerated().map {
                "\($0.offset + 1) \($0.element), by ann"
            }
            try await start(server.baseURL, connection, showing: lines) { reader, api, store in
                try api.setRequestFormat(.json)
                try api.add(Route(Report.self, Reader.path + "/:number"))
                let outbox = try await Outbox(store: store, manager: api) { Sends(Report.self) }
                #expect(try await outbox.summary().unsentCount == 2)
                connection.isCut.withLock { $0 = false }
                try await reader.reports.refresh()
                let sent = ["Read this first", "B", "Read this last"]
                #expect(reader.reports.objects.map(\.title) == sent)
                for report in reader.reports.objects {
                    #expect(try await outbox.outcome(of: report) == .accepted)
                }
                let summary = try await outbox.drain()
                print("unsent:", summary.unsentCount)
                #expect(summary.unsentCount == 0)
                let patches = server.requests.filter { $0.method == "PATCH" }
                #expect(
                    patches.map { String(decoding: $0.body, as: UTF8.self) }.sorted()
                        == [#"{"title":"Read this first"}"#, #"{"title":"Read this last"}"#])
                #expect(try await titles(in: store) == sent)
                #expect(
                    tracker.titles.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } == sent)
                await outbox.close()
            }
        }
    }

    private func titles(in store: ManagedObjectStore) async throws -> [String] {
        try await store.read { try $0.fetch(Report.self, orderBy: \.number).map(\.title) }
    }

    /// A server of three reports whose titles can be changed.
    private final class Tracker: Sendable {
        let titles = Mutex([1: "a", 2: "b", 3: "c"])

        func answer(_ request: LoopbackRequest) -> LoopbackResponse {
            let number = request.path.split(separator: "/").last.flatMap { Int($0) }
            return titles.withLock { titles in
                if request.method == "PATCH", let number {
                    let patch = try? JSONSerialization.jsonObject(with: Data(request.body))
                    guard let patch = patch as? [String: String], patch.count == 1,
                        let title = patch["title"]
                    else { return LoopbackResponse(status: 422) }
                    titles[number] = title
                    return .json(Self.report(number, title))
                }
                let reports = titles.sorted { $0.key < $1.key }.map(Self.report)
                return .json("[\(reports.joined(separator: ","))]")
            }
        }

        private static func report(_ number: Int, _ title: String) -> String {
            #"{"number":\#(number),"title":"\#(title)","user":{"login":"ann"}}"#
        }
    }

    /// A connection, which is cut at first.
    private final class Connection: Sendable {
        let isCut = Mutex(true)
    }

    /// Runs the program with a connection that can be cut.
    private func start(
        _ baseURL: String, _ connection: Connection, showing lines: [String] = [],
        _ body: (Reader, ObjectManager, ManagedObjectStore) async throws -> Void
    ) async throws {
        let store = try await ManagedObjectStore(at: file, entities: Report.self, Reporter.self)
        let api = try ObjectManager(baseURL: baseURL)
        let plan = FaultInjectingTransport.Plan { _, _ in
            connection.isCut.withLock(\.self) ? .reset(at: .connecting) : nil
        }
        api.configure {
            $0.client.transport = FaultInjectingTransport($0.client.transport, plan: plan)
        }
        let reader = try Reader(api, store)
        print(reader.status, reader.lines)
        #expect(reader.lines == lines)
        try await body(reader, api, store)
        try store.close()
    }

    private func wait(for status: String, of reader: Reader) async {
        while reader.status != status { await Task.yield() }
    }
}
