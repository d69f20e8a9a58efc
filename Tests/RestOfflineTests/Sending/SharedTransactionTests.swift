// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import RestKit
import RestPersistence
import Synchronization
import Testing

/// Transactions that several closures share.
@Suite struct SharedTransactionTests {
    private struct Fault: Error {}

    /// The insertions and commits in their order.
    private final class Events: Sendable {
        private let noted = Mutex<[String]>([])

        var all: [String] { noted.withLock(\.self) }

        func insert(_ id: Int, _ context: ManagedObjectContext) throws {
            _ = try Photo.insert(into: context, id: id, name: "P")
            try context.save()
            try context.rows.write { database in
                noted.withLock { $0.append("\(id)") }
                database.afterNextTransaction { [self] _ in
                    noted.withLock { $0.append("commit of \(id)") }
                }
            }
        }
    }

    private static func store() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            temporaryFor: Folder.self, Note.self, Photo.self, Person.self)
    }

    private static func ids(_ store: ManagedObjectStore) async throws -> [Int] {
        try await store.read { try $0.fetch(Photo.self, orderBy: \.id).map(\.id) }
    }

    @Test func loneClosureIsCommittedAtOnce() async throws {
        let store = try await Self.store()
        let result = try await store.content.writeTogether { context in
            _ = try Photo.insert(into: context, id: 1, name: "P")
            return "done"
        }
        #expect(result == "done")
        #expect(try await Self.ids(store) == [1])
    }

    @Test func failingClosureLeavesNeighboursCommitted() async throws {
        let store = try await Self.store()
        let content = store.content
        let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let events = Events()
        async let first: Void = content.writeTogether { context in
            isRunning.signal()
            mayEnd.wait()
            try events.insert(1, context)
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isRunning.wait()
                continuation.resume()
            }
        }
        // They arrive while the first transaction is running.
        let others = (2...4).map { id in
            Task {
                try await content.writeTogether { context in
                    try events.insert(id, context)
                    if id == 3 { throw Fault() }
                }
            }
        }
        while content.database.group.count < 3 { await Task.yield() }
        mayEnd.signal()
        try await first
        var failures = 0
        for other in others {
            do { try await other.value } catch is Fault { failures += 1 }
        }
        #expect(failures == 1)
        #expect(try await Self.ids(store) == [1, 2, 4])
        let all = events.all
        // The commit of the first one is before the others, and these have one.
        #expect(all.first == "1")
        #expect(all.dropFirst().first == "commit of 1")
        #expect(all.dropFirst(2).prefix(3).allSatisfy { !$0.hasPrefix("commit") })
    }

    @Test func failingCommitLetsClosuresRunAlone() async throws {
        let store = try await Self.store()
        let content = store.content
        let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first: Void = content.writeTogether { _ in
            isRunning.signal()
            mayEnd.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isRunning.wait()
                continuation.resume()
            }
        }
        let others = (1...3).map { id in
            Task {
                try await content.writeTogether { context in
                    _ = try Photo.insert(into: context, id: id, name: "P")
                    try context.save()
                    // SQLite checks references when it commits.
                    if id == 2 {
                        try context.rows.write {
                            try $0.execute(
                                sql: "INSERT INTO note (restkit_key, title, text, revision, "
                                    + "folder) VALUES (999999, '', '', 0, 54321)")
                        }
                    }
                }
            }
        }
        while content.database.group.count < 3 { await Task.yield() }
        mayEnd.signal()
        try await first
        var failures = 0
        for other in others {
            do { try await other.value } catch is PersistenceError { failures += 1 }
        }
        #expect(failures == 1)
        #expect(try await Self.ids(store) == [1, 3])
    }
}
