// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import GRDB
import RestKit

/// Registers loads of a document into rows: the first one, the same again, and one of which 1 % has
/// changed.
func compareLoads(of first: InputDocument, then changed: InputDocument) {
    Benchmark("first load: RestPersistence", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        let changes = try await benchmark.measureLoad(of: first, into: store)
        guard changes.inserted > 26_000 else { throw UnexpectedRows(26_000, changes.inserted) }
        try store.close()
    }
    for (name, input) in [("unchanged load", first), ("changed load", changed)] {
        Benchmark("\(name): RestPersistence", configuration: Benchmark.storage) { benchmark in
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            _ = try await load(first, into: store)
            let changes = try await benchmark.measureLoad(of: input, into: store)
            guard changes.inserted == 0 else { throw UnexpectedRows(0, changes.inserted) }
            guard (changes.updated == 0) == (name == "unchanged load") else {
                throw UnexpectedRows(0, changes.updated)
            }
            try store.close()
        }
    }
    Benchmark("first load: GRDB records", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let pool = try directory.openRecords()
        await benchmark.measureProcess { try? await save(first, in: pool) }
        let count = try await pool.read { try ArticleRecord.fetchCount($0) }
        guard count == 10_000 else { throw UnexpectedRows(10_000, count) }
        try pool.close()
    }
}

/// Registers loads of ten times as many articles; skipped without the corpus's script.
func measureLargeLoads() {
    for (name, isFirst) in [("first load", true), ("unchanged", false)] {
        Benchmark("264k rows, \(name): RestPersistence", configuration: Benchmark.storage) {
            benchmark, input in
            guard let input else { return }
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            if !isFirst { _ = try await load(input, into: store) }
            let changes = try await benchmark.measureLoad(of: input, into: store)
            guard isFirst == (changes.inserted > 260_000), changes.updated == 0 else {
                throw UnexpectedRows(260_000, changes.inserted)
            }
            try store.close()
        } setup: {
            InputDocument.file(of: 100_000).flatMap(InputDocument.init(takingFile:))
        }
    }
}

extension Benchmark {
    /// Measures a load from bytes to the commit.
    fileprivate func measureLoad(
        of input: InputDocument, into store: ManagedObjectStore
    ) async throws -> SaveReport {
        var changes = SaveReport()
        try await measureProcess { changes = try await load(input, into: store) }
        return changes
    }
}

/// Loads the articles of a document into a store.
func load(
    _ input: InputDocument, into store: ManagedObjectStore
) async throws -> SaveReport {
    let plan = try EntityMappingPlan(EntityMapping(Article.self), in: store.model)
    let document = try Document(parsing: input.bytes)
    guard let articles = document.root["data"] else { throw UnexpectedRows(10_000, 0) }
    return try await store.importObjects(from: articles, by: plan).changes
}

private func save(_ input: InputDocument, in pool: DatabasePool) async throws {
    let records = try JSONDecoder().decode(ArticleRecords.self, from: input.data)
    try await pool.write { try records.upsert(in: $0) }
}
