// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization

/// The threads that read snapshots, as many as the store has connections for readers.
///
/// Threads of the cooperative pool wait for these connections, as those of contexts that fetch do.
/// A read therefore waits for its connection, uses it and returns it in one job on a dispatch queue. If
/// returning it were a job of the pool, all threads of the pool could wait for that job.
final class SnapshotReaders: Sendable {
    private struct State {
        var idle: [SnapshotReader]
        /// The reads that wait for a thread, in order.
        var waiting: [CheckedContinuation<SnapshotReader, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(idle: (0..<count).map { _ in SnapshotReader() }))
    }

    /// Calls a closure on a thread of its own.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled, which
    ///   interrupts the query in progress.
    func run<Result: Sendable>(
        _ body: @Sendable (ReadInterruption) throws -> Result
    ) async throws -> Result {
        let reader = await take()
        let interruption = ReadInterruption()
        return try await withTaskCancellationHandler {
            try await reader.run(interruption, of: self, body)
        } onCancel: {
            interruption.interrupt()
        }
    }

    private func take() async -> SnapshotReader {
        await withCheckedContinuation { continuation in
            let reader = state.withLock { state in
                let reader = state.idle.popLast()
                if reader == nil { state.waiting.append(continuation) }
                return reader
            }
            if let reader { continuation.resume(returning: reader) }
        }
    }

    fileprivate func put(_ reader: SnapshotReader) {
        let next = state.withLock { state -> CheckedContinuation<SnapshotReader, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.idle.append(reader)
            return nil
        }
        next?.resume(returning: reader)
    }
}

/// A thread that reads one snapshot after the other.
private actor SnapshotReader {
    private let executor = StoreExecutor(label: "RestPersistence.snapshot")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(
        _ interruption: ReadInterruption, of readers: SnapshotReaders,
        _ body: @Sendable (ReadInterruption) throws -> Result
    ) throws -> Result {
        defer { readers.put(self) }
        try Task.checkCancellation()
        do { return try body(interruption) } catch  where interruption.hasInterrupted {
            throw CancellationError()
        }
    }
}
