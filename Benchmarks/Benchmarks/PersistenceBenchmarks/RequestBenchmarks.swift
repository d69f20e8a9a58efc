// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestKit
import Synchronization

extension BenchmarkMetric {
    /// The wall time of a request, from its call to its result.
    static let requestTime = BenchmarkMetric.custom("Time per request (ns)")
}

/// Registers requests whose responses are saved, over the loopback interface; skipped without nginx.
func compareRequests(for collection: InputDocument) {
    guard NginxServer.executable != nil else {
        FileHandle.standardError.write(
            Data("persistence: nginx is not installed; no request is measured\n".utf8))
        return
    }
    let list = ["articles.json": collection.data]
    Served(list).register("list of 10k: first load") { benchmark, api in
        let store = try await Served.openStore()
        try await benchmark.measureRequest {
            let result = try await api.getObjects(Article.self, at: "articles.json", into: store)
            guard result.objectIDs.count == 10_000 else {
                throw UnexpectedRows(10_000, result.objectIDs.count)
            }
        }
    }
    Served(list).register("list of 10k: not modified") { benchmark, api in
        let store = try await Served.openStore()
        _ = try await api.getObjects(Article.self, at: "articles.json", into: store)
        try await benchmark.measureRequest {
            let result = try await api.getObjects(Article.self, at: "articles.json", into: store)
            guard result.origin == .notModified, result.objectIDs.count == 10_000 else {
                throw UnexpectedRows(10_000, result.objectIDs.count)
            }
        }
    }
    compareWalks(over: collection)
    measureLists(of: collection)
    Served(["none.json": Data(#"{"data":[]}"#.utf8)]).registerOrphans()
}

/// Registers a walk over pages, and the import of the same pages from files.
private func compareWalks(over collection: InputDocument) {
    guard let pages = try? PagedList(collection, pageCount: 10) else { return }
    Served(pages.files).register("10 pages of 1k: walk") { benchmark, api in
        let store = try await Served.openStore()
        try await benchmark.measureRequest {
            let walk = try await api.pages(
                of: Article.self, at: "page1.json", by: .nextURL(at: .body("next")), into: store
            ).fetchAll()
            guard walk.pageCount == 10 else { throw UnexpectedRows(10, walk.pageCount) }
        }
    }
    Served(pages.files).register("10 pages of 1k: files") { benchmark, _, root in
        let store = try await Served.openStore()
        try await benchmark.measureRequest {
            let importer = ManagedObjectImporter(store)
            for number in 1...10 {
                try await importer.importObjects(
                    from: root.appending(path: "page\(number).json"),
                    by: EntityMapping(Article.self), at: "data")
            }
            try await importer.finish()
        }
    }
}

/// Registers a live list of stored objects, and the calls of the main actor beside its refresh.
private func measureLists(of collection: InputDocument) {
    let list = ["articles.json": collection.data]
    Served(list).register("live list of 10k: first objects") { benchmark, api in
        let store = try await Served.openStore()
        _ = try await api.getObjects(Article.self, at: "articles.json", into: store)
        let (first, longest) = try await liveListTimes(by: api, in: store)
        benchmark.measurement(.requestTime, Int(first / .nanoseconds(1)))
        benchmark.measurement(.longestWait, Int(longest / .nanoseconds(1)))
    }
}

/// Returns the time until a live list has objects, and the longest time for which the main actor was
/// busy in the half second after it.
@MainActor
private func liveListTimes(
    by api: ObjectManager, in store: ManagedObjectStore
) async throws -> (first: Duration, longest: Duration) {
    let start = ContinuousClock.now
    let list = try RemoteList(Article.self, at: "articles.json", by: api, in: store)
    while list.objects.isEmpty { await Task.yield() }
    let first = ContinuousClock.now - start
    guard list.objects.count == 10_000 else { throw UnexpectedRows(10_000, list.objects.count) }
    var longest = Duration.zero
    var last = ContinuousClock.now
    let end = last + .milliseconds(500)
    while last < end {
        await Task.yield()
        let now = ContinuousClock.now
        longest = max(longest, now - last)
        last = now
    }
    return (first, longest)
}

/// Files on a server, which all passes of a benchmark share.
private final class Served: Sendable {
    private struct Parts {
        let server: NginxServer
        let api: ObjectManager
    }

    private let files: [String: Data]
    private let parts = Mutex<Parts?>(nil)

    init(_ files: [String: Data]) { self.files = files }

    static func openStore() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(temporaryFor: Article.self, Comment.self, Person.self)
    }

    func register(
        _ name: String, _ pass: @escaping @Sendable (Benchmark, ObjectManager) async throws -> Void
    ) {
        register(name) { benchmark, api, _ in try await pass(benchmark, api) }
    }

    func register(
        _ name: String,
        _ pass: @escaping @Sendable (Benchmark, ObjectManager, _ root: URL) async throws -> Void
    ) {
        let configuration = Benchmark.Configuration(
            metrics: [.requestTime, .longestWait, .wallClock], warmupIterations: 1,
            maxDuration: .seconds(8), maxIterations: 5)
        Benchmark(name, configuration: configuration) { benchmark in
            let (api, root) = try self.running()
            try await pass(benchmark, api, root)
        } setup: {
            try await self.start()
        } teardown: {
            self.stop()
        }
    }

    /// Registers a request whose response contains none of 10,000 objects among a million.
    func registerOrphans() {
        let filled = FilledStore(1_000_000)
        let configuration = Benchmark.Configuration(
            metrics: [.passTime, .wallClock], warmupIterations: 0, maxDuration: .seconds(20),
            maxIterations: 3)
        Benchmark("10k orphans among 1M: RestPersistence", configuration: configuration) {
            benchmark in
            guard let store = filled.store else { throw UnexpectedRows(1_000_000, 0) }
            let (api, _) = try self.running()
            let first = filled.nextPass() * 10_000
            try api.add(ResponseDescriptor(Contact.self, keyPath: "data"))
            api.addFetchRequestRule { _ in
                FetchRequest(Contact.self, where: { $0.id > first && $0.id <= first + 10_000 })
            }
            var deleted = 0
            try await benchmark.measureProcess {
                let result = try await api.getObjects(Contact.self, at: "none.json", into: store)
                deleted = result.changes.deleted
            }
            guard deleted == 10_000 else { throw UnexpectedRows(10_000, deleted) }
        } setup: {
            try await filled.open()
            try await self.start()
        } teardown: {
            self.stop()
            try filled.close()
        }
    }

    private func running() throws -> (ObjectManager, URL) {
        try parts.withLock { parts in
            guard let parts else { throw UnexpectedRows(1, 0) }
            return (parts.api, parts.server.root)
        }
    }

    private func start() async throws {
        let server = try await NginxServer(serving: files)
        let api = try ObjectManager(baseURL: server.address)
        try api.add(ResponseDescriptor(Article.self, keyPath: "data"))
        parts.withLock { $0 = Parts(server: server, api: api) }
    }

    private func stop() {
        parts.withLock { parts in
            parts?.server.stop()
            parts = nil
        }
    }
}

/// A list as pages, each with the URL of the next one.
private struct PagedList {
    var files: [String: Data] = [:]

    init(_ collection: InputDocument, pageCount: Int) throws {
        let document = try Document(parsing: collection.bytes)
        let articles = (document.root["data"]?.elements).map(Array.init) ?? []
        let size = articles.count / pageCount
        for number in 1...pageCount {
            let page = articles[(number - 1) * size..<number * size]
                .map { JSONWriter.compact.text(of: $0) }
            let next = number < pageCount ? "\"page\(number + 1).json\"" : "null"
            let text = #"{"next":\#(next),"data":[\#(page.joined(separator: ","))]}"#
            files["page\(number).json"] = Data(text.utf8)
        }
    }
}

extension Benchmark {
    /// Runs one pass and records its wall time.
    func measureRequest(_ request: () async throws -> Void) async rethrows {
        let start = ContinuousClock.now
        try await request()
        measurement(.requestTime, Int((ContinuousClock.now - start) / .nanoseconds(1)))
    }
}
