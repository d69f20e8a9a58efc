// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestKit
import Synchronization

extension BenchmarkMetric {
    /// The wall time of a search for the first 20 rows.
    static let searchTime = BenchmarkMetric.custom("Time per search (ns)")
}

/// Registers a search for two words among rows of 100 words, one row in 70 of which has both.
///
/// The rows are written once for all passes, which takes minutes for a million.
func measureSearch(among count: Int) {
    let prepared = Mutex<(PassDirectory, ManagedObjectStore)?>(nil)
    let configuration = Benchmark.Configuration(
        metrics: [.searchTime, .wallClock], warmupIterations: 2, maxDuration: .seconds(10),
        maxIterations: 20)
    Benchmark("\(count / 1_000)k rows: search", configuration: configuration) { benchmark in
        guard let store = prepared.withLock({ $0?.1 }) else { throw UnexpectedRows(count, 0) }
        let time = try await store.perform { context in
            let start = ContinuousClock.now
            let results = try context.search(Page.self, .all("needle thread"), limit: 20)
            let time = ContinuousClock.now - start
            guard results.count == 20 else { throw UnexpectedRows(20, results.count) }
            return time
        }
        benchmark.measurement(.searchTime, Int(time / .nanoseconds(1)))
    } setup: {
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        try await write(count, into: store)
        prepared.withLock { $0 = (directory, store) }
    } teardown: {
        try prepared.withLock { taken in
            try taken?.1.close()
            taken = nil
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
        if row.isMultiple(of: 7) { text += "thread" }
        return text
    }
}
