// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Operations that were enqueued together, as the sequence of their progress.
///
/// ```swift
/// let batch = try api.enqueueBatch(of: requests)
/// for await progress in batch {
///     show(progress.finishedCount, of: progress.totalCount)
/// }
/// ```
///
/// The sequence has one element for each operation, when it finishes, whether it succeeded, failed or
/// was cancelled. It ends after the last one; that of an empty batch ends at once. Each iteration
/// begins with the first operation that finished.
///
/// A task that is cancelled leaves the iteration; the operations are not affected.
public struct OperationBatch<Value>: AsyncSequence, Sendable {
    /// The state of a batch after one of its operations has finished.
    public struct Progress: Sendable {
        /// The operation that has finished.
        public let operation: ObjectRequestOperation<Value>

        /// The number of operations that have finished, from 1 to ``totalCount``.
        public let finishedCount: Int

        /// The number of operations in the batch.
        public let totalCount: Int
    }

    /// The progress of the batch.
    public typealias Element = Progress

    /// Iterating does not fail.
    public typealias Failure = Never

    /// The operations, in the order in which they were enqueued.
    public let operations: [ObjectRequestOperation<Value>]

    private let log: FinishLog

    /// Creates a batch and begins to record which of the operations are finished.
    package init(_ operations: [ObjectRequestOperation<Value>]) {
        self.operations = operations
        let log = FinishLog(totalCount: operations.count)
        self.log = log
        for (index, operation) in operations.enumerated() {
            operation.operation.whenFinished { _ in log.append(index) }
        }
    }

    /// Cancels all operations of the batch that are not finished.
    public func cancel() {
        for operation in operations { operation.cancel() }
    }

    /// Waits until all operations are finished.
    ///
    /// If the task that waits is cancelled, it cancels the operations and waits for their end.
    ///
    /// - Parameter progress: A closure that is called for each operation that finishes, in the
    ///   caller's isolation. It is not called any more after the task was cancelled.
    /// - Returns: The operations, in the order in which they were enqueued. Those that failed have an
    ///   error.
    /// - Throws: `CancellationError` if the task was cancelled before the last operation finished.
    @discardableResult
    public func finished(
        progress: (Progress) -> Void = { _ in }
    ) async throws -> [ObjectRequestOperation<Value>] {
        var count = 0
        for await current in self {
            count = current.finishedCount
            progress(current)
        }
        guard count < operations.count else { return operations }
        cancel()
        for operation in operations { await operation.operation.finished() }
        throw CancellationError()
    }

    /// Waits for the values of the operations, in the order in which they were enqueued.
    ///
    /// If the task that waits is cancelled, it cancels the operations.
    ///
    /// - Parameter progress: A closure that is called for each value or error, in the caller's isolation.
    /// - Returns: The value of each operation; for a failed one its error.
    public func results(
        progress: (Progress) -> Void = { _ in }
    ) async -> [Result<Value, any Error>] where Value: Sendable {
        var results: [Result<Value, any Error>] = []
        for operation in operations {
            do {
                results.append(.success(try await operation.value))
            } catch {
                results.append(.failure(error))
            }
            progress(
                Progress(
                    operation: operation, finishedCount: results.count,
                    totalCount: operations.count))
        }
        return results
    }

    /// Creates an iterator over the progress from the first operation that finished.
    public func makeAsyncIterator() -> Iterator {
        Iterator(operations: operations, indices: log.indices.makeAsyncIterator())
    }

    /// An iterator over the progress of a batch.
    public struct Iterator: AsyncIteratorProtocol {
        let operations: [ObjectRequestOperation<Value>]
        var indices: AsyncStream<Int>.Iterator
        var finishedCount = 0

        /// Returns the progress after the next operation has finished; `nil` after the last one, or
        /// if the task is cancelled.
        public mutating func next() async -> Progress? {
            await next(isolation: #isolation)
        }

        /// Returns the progress after the next operation has finished, in the caller's isolation.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Progress? {
            guard let index = await indices.next(isolation: actor) else { return nil }
            finishedCount += 1
            return Progress(
                operation: operations[index], finishedCount: finishedCount,
                totalCount: operations.count)
        }
    }
}

/// The order in which the operations of a batch finish.
private final class FinishLog: Sendable {
    private struct State {
        var finished: [Int] = []
        var observers: [AsyncStream<Int>.Continuation] = []
    }

    private let totalCount: Int
    private let state = Mutex(State())

    init(totalCount: Int) {
        self.totalCount = totalCount
    }

    /// Appends the index of an operation that has finished.
    func append(_ index: Int) {
        state.withLock { state in
            state.finished.append(index)
            // Under the lock, for the order of the sequence; consumers run elsewhere.
            for observer in state.observers { observer.yield(index) }
            if state.finished.count == totalCount {
                for observer in state.observers { observer.finish() }
                state.observers = []
            }
        }
    }

    /// The indices of the operations, in the order in which they finish.
    var indices: AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        state.withLock { state in
            for index in state.finished { continuation.yield(index) }
            if state.finished.count == totalCount {
                continuation.finish()
            } else {
                state.observers.append(continuation)
            }
        }
        return stream
    }
}
