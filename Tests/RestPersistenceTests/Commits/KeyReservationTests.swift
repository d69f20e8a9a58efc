// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport
import Testing

@testable import RestPersistence

@Suite struct KeyReservationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Another program has committed and then keeps the lock of the writer.
    ///
    /// The store notices the commit on the queue on which it reserves keys before.
    @Test(.timeLimit(.minutes(1))) func reservingAheadDoesNotWaitForLock() async throws {
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
}
