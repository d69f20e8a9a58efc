// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An executor whose jobs run on the thread that waits for them, so that their instructions are
/// counted.
private final class CallingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs until none are left.
    func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Runs asynchronous work on this thread.
///
/// The work must not wait for other threads.
///
/// Invariant: work and result are used on this thread only, because the task prefers its executor and
/// the work starts no other task.
func run<Value>(_ work: @escaping () async throws -> Value) throws -> Value {
    let executor = CallingThread()
    // Invariant: used on this thread only, see above.
    nonisolated(unsafe) let work = work
    // Invariant: used on this thread only, see above.
    nonisolated(unsafe) var result: Result<Value, any Error>?
    Task(executorPreference: executor) {
        do {
            unsafe result = .success(try await work())
        } catch {
            unsafe result = .failure(error)
        }
    }
    executor.drain()
    guard let result = unsafe result else { fatalError("the work waits for another thread") }
    return try result.get()
}
