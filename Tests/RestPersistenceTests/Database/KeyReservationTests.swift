// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport
import Testing

@testable import RestPersistence
@testable import RestRows

/// The keys of objects, which grow with their age.
@Suite struct KeyReservationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Another program has committed and then keeps the lock of the writer.
    ///
    /// The store notices the commit on the queue on which it reserves keys before. Waiting for the lock would
    /// take longer than the limit, which includes the time of tests that run at the same time.
    @Test(.timeLimit(.hang)) func reservingAheadDoesNotWaitForLock() async throws {
        let store = try await files.open(StoreConfiguration(busyTimeout: .seconds(600)))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: files.file.path, configuration: configuration)
        try other.inDatabase { database in
            try database.execute(sql: "INSERT INTO City (restkit_key, name) VALUES (9000, 'Oslo')")
            try database.execute(sql: "BEGIN IMMEDIATE")
        }
        store.database.reserveKeysAhead()
        var commits = store.commits.makeAsyncIterator()
        #expect(await commits.next()?.origin == .foreign)
        try other.inDatabase { try $0.execute(sql: "COMMIT") }
        // The next insertion reserves.
        try await store.insertAirline("SK")
        #expect(try await store.airlineCodes() == ["SK"])
    }

    @Test func firstKeyOfNewStoreIsOne() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let keys = try (0..<3).map { _ in try context.insert(Airline.self).objectID.key }
        #expect(keys == [1, 2, 3])
    }

    /// A way to insert objects.
    private enum Way: CaseIterable { case context, transaction, large, largeTransaction, failing }

    @Test(arguments: 0..<12) func keysGrowWithAge(seed: UInt64) async throws {
        let store = try await files.open()
        var random = SeededGenerator(state: seed)
        var last: Int64 = 0
        for step in 0..<30 {
            let way = Way.allCases.randomElement(using: &random) ?? .context
            let keys: (first: Int64, last: Int64)
            switch way {
            case .context:
                keys = try insert(.random(in: 1...3, using: &random), store.makeContext())
            case .large: keys = try insert(5_000, store.makeContext())
            case .transaction: keys = try await store.write { try insert(2, $0) }
            case .largeTransaction: keys = try await store.write { try insert(9_000, $0) }
            case .failing:
                _ = try? await store.write { context in
                    _ = try insert(4_500, context)
                    throw CancellationError()
                }
                continue
            }
            #expect(keys.first > last, "step \(step), \(way)")
            last = keys.last
        }
    }

    /// Inserts objects, and returns the first and the last of their keys.
    private nonisolated func insert(
        _ count: Int, _ context: ManagedObjectContext
    ) throws -> (first: Int64, last: Int64) {
        let keys = try context.layered.reserveKeys(count)
        let airline = try context.insert(Airline.self)
        airline.code = "\(keys.lowerBound)"
        #expect(airline.objectID.key >= keys.upperBound)
        return (keys.lowerBound, airline.objectID.key)
    }

    @Test func lesserBlockIsGivenUp() {
        let reservation = KeyReservation()
        #expect(reservation.take(1).needsRefill)
        // Another reservation was faster.
        #expect(!reservation.giveUp(below: 9_000))
        reservation.refill(1..<4_097)
        #expect(reservation.take(1).keys == nil)
        reservation.refill(9_000..<13_096)
        #expect(reservation.take(2).keys == 9_000..<9_002)
        #expect(reservation.giveUp(below: 9_500))
        #expect(reservation.take(1).keys == nil)
    }
}
