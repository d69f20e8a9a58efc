// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Tasks that occupy all threads of the cooperative pool, in a process of their own.
@Suite(.tags(.concurrency)) struct SnapshotReadersTests {
    private static let roundCount = 100

    /// Ends the process with a failure unless it ends itself before.
    private static func watch() {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 120)
            exit(EXIT_FAILURE)
        }
    }

    private static func open(_ path: String) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities),
            configuration: StoreConfiguration(
                busyTimeout: .seconds(60), maximumReaderCount: 1))
    }

    /// Fetches in more tasks than the pool has threads, without suspending, and on the main actor.
    private static func fetch(from store: ManagedObjectStore) async throws {
        async let main: Void = fetchOnMainActor(from: store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
                group.addTask {
                    let context = store.makeContext()
                    for _ in 0..<roundCount * 5 { _ = try context.count(Airline.self) }
                }
            }
            try await group.waitForAll()
        }
        try await main
    }

    @MainActor private static func fetchOnMainActor(from store: ManagedObjectStore) async throws {
        for _ in 0..<roundCount {
            _ = try store.mainContext.count(Airline.self)
            await Task.yield()
        }
    }

    @Test func snapshotsAndFetchesNeverDeadlock() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            SnapshotReadersTests.watch()
            let store = try await SnapshotReadersTests.open(path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await SnapshotReadersTests.fetch(from: store) }
                for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
                    group.addTask {
                        for _ in 0..<SnapshotReadersTests.roundCount {
                            _ = try await store.read { try $0.count(Airline.self) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try store.close()
        }
    }

    @Test func observersAndFetchesNeverDeadlock() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            SnapshotReadersTests.watch()
            let store = try await SnapshotReadersTests.open(path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await SnapshotReadersTests.fetch(from: store) }
                for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
                    group.addTask {
                        for try await snapshot in store.values(AirlineValues.self) {
                            if snapshot.values.count == SnapshotReadersTests.roundCount { break }
                        }
                    }
                }
                group.addTask {
                    for number in 0..<SnapshotReadersTests.roundCount {
                        try await store.insertAirline("\(number)")
                    }
                }
                try await group.waitForAll()
            }
            try store.close()
        }
    }

    @Test func closesOnEachThreadOfPool() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            SnapshotReadersTests.watch()
            for _ in 0..<20 {
                let store = try await SnapshotReadersTests.open(path)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            _ = try? await store.read { _ in usleep(2_000) }
                        }
                    }
                    try? await Task.sleep(for: .milliseconds(1))
                    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
                        group.addTask { try? store.close() }
                    }
                }
            }
        }
    }

    /// A query without an end, which only the cancellation can interrupt.
    @Test func cancellationInterruptsQuery() async throws {
        let files = try TemporaryStore()
        let store = try await files.open()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let read = Task {
            try await store.database.readSnapshot { database in
                start.finish()
                return try PreparedStatement(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                        + "SELECT max(i) FROM n", in: database
                ).step()
            }
        }
        for await _ in starts {}
        // The query may not have begun.
        let canceller = Task {
            while !Task.isCancelled {
                read.cancel()
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        await #expect(throws: CancellationError.self) { _ = try await read.value }
        canceller.cancel()
        #expect(try await store.airlineCodes() == [])
        try store.close()
    }
}
