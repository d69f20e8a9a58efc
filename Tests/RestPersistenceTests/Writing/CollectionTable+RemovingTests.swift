// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// The numbers of queries by which collections are removed.
@Suite struct CollectionRemovalStatementTests {
    private final class StatementCounter: Sendable {
        let count = Mutex(0)
    }

    /// Returns the number of queries of the connection that writes, during a removal of many
    /// collections.
    private func statements(
        _ collectionCount: Int, sharing: Bool,
        _ remove: (ManagedObjectStore) async throws -> Int
    ) async throws -> Int {
        let files = try TemporaryStore()
        let store = try await files.open()
        for index in 0..<collectionCount {
            let code = sharing ? "S" : "\(index)"
            try await store.store([code], as: .get("\(index)"), at: TimeInterval(index))
        }
        try await store.store(["S"], as: .get("kept"), at: 1_000_000)
        let counter = StatementCounter()
        try await store.write { context in
            context.transaction?.connection.trace(options: .statement) { event in
                // The actions of foreign keys are events of the statement that causes them.
                guard case .statement(let statement) = event,
                    statement.sql.hasPrefix("SELECT")
                else { return }
                counter.count.withLock { $0 += 1 }
            }
        }
        let before = counter.count.withLock(\.self)
        let deleted = try await remove(store)
        #expect(deleted == (sharing ? 0 : collectionCount + 1))
        let rest = try files.rows("SELECT id FROM restkit_collection")
        #expect(rest.count == (sharing ? 1 : 0))
        return counter.count.withLock(\.self) - before
    }

    @Test func evictionByAgeRunsConstantQueries() async throws {
        let limit = Date(timeIntervalSince1970: 1_000_000)
        var counts: [Int] = []
        for count in [20, 80] {
            counts.append(
                try await statements(count, sharing: true) {
                    try await $0.evictCollections(confirmedBefore: limit)
                })
        }
        #expect(counts[0] > 0 && counts[0] == counts[1])
    }

    @Test func evictionBySizeReadsCollectionsOnce() async throws {
        var counts: [Int] = []
        for count in [50, 100, 200] {
            counts.append(
                try await statements(count, sharing: false) {
                    try await $0.evictCollections(keeping: 0)
                })
        }
        // The number grows with that of the collections, not with its square.
        let growth = [counts[1] - counts[0], counts[2] - counts[1]]
        #expect(growth[0] > 0 && growth[1] < growth[0] * 5 / 2)
    }
}
