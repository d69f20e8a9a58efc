// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import GRDB
import RestKit

extension BenchmarkMetric {
    /// The longest time for which one call kept the main actor.
    static let longestWait = BenchmarkMetric.custom("Longest wait (ns)")
}

/// Registers the calls of the main actor beside an import of 10,000 articles and what belongs to them,
/// and the queries of two of them through GRDB alone.
func measureMainActor(beside input: InputDocument) {
    let configuration = Benchmark.Configuration(
        metrics: [.longestWait, .wallClock], warmupIterations: 1, maxDuration: .seconds(20),
        maxIterations: 5)
    for (name, call) in MainActorCall.all {
        Benchmark("\(name) beside an import: main actor", configuration: configuration) {
            benchmark in
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            try await store.perform { context in
                try insert(1_000, into: context)
                try context.save()
            }
            let wait = try await longestWait(of: call, in: store, beside: input)
            benchmark.measurement(.longestWait, Int(wait / .nanoseconds(1)))
        }
    }
}

/// A call of the main actor that needs the store.
private struct MainActorCall: Sendable {
    static let all: [(String, MainActorCall)] = [
        (
            "fetch of 50",
            MainActorCall { context, _ in
                _ = try context.fetch(
                    Contact.self, where: { $0.id > 500 }, orderBy: \.id, limit: 50)
            }
        ),
        (
            "query of 50",
            MainActorCall { _, queue in
                try queue.read { database in
                    _ = try Row.fetchAll(
                        database,
                        sql: "SELECT * FROM Contact WHERE id > 500 ORDER BY id LIMIT 50")
                }
            }
        ),
        ("count", MainActorCall { context, _ in _ = try context.count(Contact.self) }),
        (
            "insert",
            MainActorCall { context, _ in
                try Contact.insert(
                    into: context, id: 10_000 + Int.random(in: 0..<1 << 40), name: "Ann",
                    email: nil, avatarUrl: "", verified: false)
            }
        ),
        (
            "read of an object",
            MainActorCall { context, _ in
                context.reset()
                _ = try context.first(Contact.self, where: { $0.id == 500 })?.name
            }
        ),
        (
            "query of a row",
            MainActorCall { _, queue in
                try queue.read { database in
                    _ = try Row.fetchOne(database, sql: "SELECT * FROM Contact WHERE id = 500")
                }
            }
        ),
    ]

    let run: @MainActor @Sendable (ManagedObjectContext, DatabaseQueue) throws -> Void
}

/// Repeats a call until an import has finished, and returns its longest time.
@MainActor
private func longestWait(
    of call: MainActorCall, in store: ManagedObjectStore, beside input: InputDocument
) async throws -> Duration {
    let importing = Task.detached {
        let plan = try EntityMappingPlan(EntityMapping(Article.self), in: store.model)
        let document = try Document(parsing: input.bytes)
        guard let articles = document.root["data"] else { throw UnexpectedRows(10_000, 0) }
        return try await store.importObjects(from: articles, by: plan).changes.inserted
    }
    let flag = Flag()
    let waiting = Task.detached {
        defer { flag.set() }
        return try await importing.value
    }
    let context = store.mainContext
    let queue = try DatabaseQueue(path: store.url.path(percentEncoded: false))
    var longest = Duration.zero
    while !flag.isSet {
        let start = ContinuousClock.now
        try call.run(context, queue)
        longest = max(longest, ContinuousClock.now - start)
        try await Task.sleep(for: .milliseconds(1))
    }
    let count = try await waiting.value
    guard count > 26_000 else { throw UnexpectedRows(26_000, count) }
    return longest
}
