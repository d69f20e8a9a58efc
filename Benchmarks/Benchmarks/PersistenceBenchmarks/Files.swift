// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import GRDB
import RestKit
import Synchronization

/// A directory with the database of one pass, which is deleted with the value's last reference.
final class PassDirectory: Sendable {
    let database = FileManager.default.temporaryDirectory
        .appending(path: "RestKitBenchmarks-\(UUID().uuidString)/rows.db")

    init() throws {
        try FileManager.default.createDirectory(
            at: database.deletingLastPathComponent(), withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: database.deletingLastPathComponent())
    }

    /// Opens a store of the entities in an empty file.
    func openStore() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: database, entities: Article.self, Comment.self, Person.self, Contact.self,
            Remark.self, Page.self)
    }

    /// Opens a database of GRDB with the tables of the records, with the durability of a store.
    func openRecords() throws -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        let pool = try DatabasePool(
            path: database.path(percentEncoded: false), configuration: configuration)
        try pool.write { try $0.execute(sql: ArticleRecords.schema) }
        return pool
    }
}

extension Benchmark {
    /// The configuration of passes that need a database of their own.
    static var storage: Configuration {
        Configuration(
            metrics: [.passTime, .wallClock], warmupIterations: 1, maxDuration: .seconds(8),
            maxIterations: 5)
    }

    /// Runs one pass and records the processor time of all threads, since a store has its own.
    func measureProcess<Result>(_ pass: () async throws -> Result) async rethrows {
        let start = ProcessorTime.ofProcess
        Benchmark.blackHole(try await pass())
        measurement(.passTime, ProcessorTime.ofProcess - start)
    }
}

/// An error for an engine whose result is not the expected one, which makes its time meaningless.
struct UnexpectedRows: Error, CustomStringConvertible {
    let description: String

    init(_ expected: Int, _ found: Int) {
        description = "expected \(expected) rows, found \(found)"
    }
}

/// A value that one task sets and another one reads.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
