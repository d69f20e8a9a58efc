// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import GRDB
import RestKit
import Synchronization

extension BenchmarkMetric {
    /// The wall time of a search for the first 20 rows.
    static let searchTime = BenchmarkMetric.custom("Time per search (ns)")
}

/// Registers searches for two words among rows of 100 words, and the same queries of SQLite's full-text
/// index alone.
///
/// One row in 70 has both of the frequent words, one in 7,000 both of the rare ones. As words of a search
/// are beginnings, so are those of the query. The rows are written once for all passes, which takes
/// minutes for a million.
func measureSearch(among count: Int) {
    let rows = SearchedRows(count)
    for (name, words) in [("frequent", ["needle", "thread"]), ("rare", ["lantern", "thread"])] {
        rows.register("\(name): RestPersistence") { store in
            try await store.perform { context in
                let start = ContinuousClock.now
                let text = words.joined(separator: " ")
                let found = try context.search(Page.self, .all(text), limit: 20).count
                return (found, ContinuousClock.now - start)
            }
        }
        rows.register("\(name): SQLite") { store in
            let queue = try DatabaseQueue(path: store.url.path(percentEncoded: false))
            return try await queue.read { database in
                let statement = try database.makeStatement(
                    sql: """
                        SELECT rowid, rank FROM restkit_search_Page
                        WHERE restkit_search_Page MATCH ? ORDER BY rank LIMIT 20
                        """)
                let query = words.map { "\($0)*" }.joined(separator: " AND ")
                _ = try Row.fetchAll(statement, arguments: [query])
                let start = ContinuousClock.now
                let found = try Row.fetchAll(statement, arguments: [query]).count
                return (found, ContinuousClock.now - start)
            }
        }
    }
}

/// A store with pages, which all passes of a benchmark share.
private final class SearchedRows: Sendable {
    private let count: Int
    private let prepared = Mutex<(directory: PassDirectory, store: ManagedObjectStore)?>(nil)

    init(_ count: Int) { self.count = count }

    /// Registers a search that returns the number of found rows and its time.
    func register(
        _ name: String,
        search: @escaping @Sendable (ManagedObjectStore) async throws -> (Int, Duration)
    ) {
        let configuration = Benchmark.Configuration(
            metrics: [.searchTime, .wallClock], warmupIterations: 2, maxDuration: .seconds(10),
            maxIterations: 20)
        let title = "search \(count / 1_000)k \(name)"
        Benchmark(title, configuration: configuration) { benchmark in
            guard let store = self.prepared.withLock({ $0?.store }) else {
                throw UnexpectedRows(self.count, 0)
            }
            let (found, time) = try await search(store)
            let expected = min(20, self.count / 7_000)
            guard found >= expected else { throw UnexpectedRows(expected, found) }
            benchmark.measurement(.searchTime, Int(time / .nanoseconds(1)))
        } setup: {
            if self.prepared.withLock({ $0 != nil }) { return }
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            try await write(self.count, into: store)
            self.prepared.withLock { $0 = (directory, store) }
        }
    }
}

private func write(_ count: Int, into store: ManagedObjectStore) async throws {
    var random = WordSequence()
    for start in stride(from: 0, to: count, by: 5_000) {
        let texts = (start..<min(start + 5_000, count)).map { random.text(ofRow: $0) }
        try await store.perform { context in
            for text in texts { try Page.insert(into: context, text: text) }
            try context.save()
        }
    }
}

/// Texts of 100 words out of 20,000, some much more frequent than others.
private struct WordSequence {
    private var state: UInt64 = 1

    mutating func text(ofRow row: Int) -> String {
        var text = ""
        for _ in 0..<100 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let fraction = Double(state >> 33) / Double(1 << 31)
            text += "w\(Int(fraction * fraction * fraction * 20_000))x "
        }
        if row.isMultiple(of: 10) { text += "needle " }
        if row.isMultiple(of: 7) { text += "thread " }
        if row.isMultiple(of: 1_000) { text += "lantern" }
        return text
    }
}
