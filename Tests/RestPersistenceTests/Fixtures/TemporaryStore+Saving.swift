// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import RestPersistence

extension TemporaryStore {
    @MainActor private final class Progress {
        var isFinished = false
    }

    /// Opens a store whose saves wait for other connections as long as it takes, because the main actor is
    /// shared with other tests.
    func openPatiently() async throws -> ManagedObjectStore {
        try await open(StoreConfiguration(busyTimeout: .seconds(600)))
    }

    /// Saves a context, and calls a closure while the save waits for another connection.
    ///
    /// The statement of the other connection comes before the save. The second closure is called before the
    /// end of the save reaches the main actor.
    @MainActor func save(
        _ context: ManagedObjectContext,
        by save: @escaping @MainActor () async throws -> SaveReport,
        otherWrite: String? = nil, during body: () throws -> Void,
        afterUnlocking rest: () throws -> Void = {}
    ) async throws -> Result<SaveReport, any Error> {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file.path, configuration: configuration)
        try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let progress = Progress()
        let task = Task {
            defer { progress.isFinished = true }
            return try await save()
        }
        while context.layered.layers.sealed == nil, !progress.isFinished { await Task.yield() }
        try #require(!progress.isFinished)
        try body()
        #expect(context.hasChanges)
        if let otherWrite { try other.inDatabase { try $0.execute(sql: otherWrite) } }
        try other.inDatabase { try $0.execute(sql: "COMMIT") }
        try rest()
        return await task.result
    }
}
