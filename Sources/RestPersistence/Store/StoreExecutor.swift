// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs a store's work one job after the other on a thread of its own queue, so that waiting for
/// the disk never holds a thread of the cooperative pool.
final class StoreExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// The isolation in which background contexts live.
actor StoreWorker {
    private let executor = StoreExecutor(label: "RestPersistence.store")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(
        _ database: StoreDatabase,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try Task.checkCancellation()
        return try body(ManagedObjectContext(database))
    }
}
