// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Tasks with a context each that insert and change the same objects.
@Suite(.tags(.concurrency)) struct ConcurrentSavingTests {
    private static let taskCount = 8
    /// The number of objects that each task inserts or counts up; `scripts/sanitize` sets more.
    private static let objectCount =
        TestEnvironment.number("RESTKIT_CONFLICTING_INSERTS") ?? 100

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func losesNoUpdateAndDuplicatesNothing() async throws {
        let store = try await files.open()
        let conflicts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.taskCount { group.addTask { try await Self.work(store) } }
            return try await group.reduce(0, +)
        }
        let rows = try files.rows(
            "SELECT count(*), count(DISTINCT code), min(passengers), max(passengers) FROM Airport")
        let (objects, tasks) = ("\(Self.objectCount)", "\(Self.taskCount)")
        #expect(rows == [[objects, objects, tasks, tasks]])
        #expect(try files.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(conflicts > 0)
    }

    /// Inserts each object or counts it up, until no other task interferes.
    private static func work(_ store: ManagedObjectStore) async throws -> Int {
        let context = store.makeContext()
        var conflicts = 0
        for number in 0..<objectCount {
            let code = "A\(number)"
            while try await !count(code, in: context) {
                conflicts += 1
                context.rollback()
            }
        }
        return conflicts
    }

    /// Inserts an object or counts it up; returns `false` if another task interfered.
    private static func count(
        _ code: String, in context: ManagedObjectContext
    ) async throws -> Bool {
        if let known = try context.fetch(Airport.self, where: { $0.code == code }).first {
            known.increment(\.passengers)
        } else {
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name, airport.passengers) = (code, "n", 1)
        }
        do {
            try await context.save()
            return true
        } catch {
            let conflicts: [PersistenceError.Code] = [.saveConflict, .identityConflict]
            guard conflicts.contains(error.code) else { throw error }
            return false
        }
    }
}
