// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A serial executor on a dispatch queue, so that blocking on the disk does not occupy a thread of
/// the cooperative pool.
package final class StoreExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// The isolation of background contexts.
package actor StoreWorker {
    private let executor = StoreExecutor(label: "RestPersistence.store")

    package init() {}

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
}
