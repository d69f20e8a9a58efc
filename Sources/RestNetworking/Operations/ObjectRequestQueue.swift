// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue that executes operations, a bounded number of them at the same time.
///
/// ```swift
/// api.operationQueue.maximumConcurrentOperationCount = 4
/// let operation = try api.enqueue(request)
/// try await api.operationQueue.waitUntilFinished()
/// ```
///
/// Operations start by ``RequestPriority``, and in the order in which they were enqueued within one
/// priority. An operation that waits is an entry in an array; it takes neither a task nor a thread.
///
/// Calls such as ``ObjectManager/send(_:)`` are operations as well. A call executes as a child of its task. A
/// call within the work of another operation of the queue, as of an interceptor that requests a token, starts
/// at once: it would wait for the end of the operation that waits for it.
///
/// The queue keeps its operations until they are finished. A suspended queue therefore keeps them
/// until it is resumed or they are cancelled.
public final class ObjectRequestQueue: Sendable {
    typealias Ticket = PrioritySchedule<RequestOperation>.Ticket

    private struct State {
        var schedule: PrioritySchedule<RequestOperation>
        var idleWaiters: [AsyncStream<Never>.Continuation] = []
        var observers: [Int: AsyncStream<RequestOperation>.Continuation] = [:]
        var lastObserver = 0
    }

    private let state: Mutex<State>

    /// The queue in which the responses of the operations wait to be mapped.
    public let mappingQueue: ResponseMappingQueue

    /// The maximum number of concurrent operations of a new queue: 16.
    public static let defaultMaximumConcurrentOperationCount = 16

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - maximumConcurrentOperationCount: The maximum number of operations that execute at the
    ///     same time, at least 1.
    ///   - mappingQueue: The queue in which the responses wait to be mapped.
    public init(
        maximumConcurrentOperationCount: Int = defaultMaximumConcurrentOperationCount,
        mappingQueue: ResponseMappingQueue = .shared
    ) {
        state = Mutex(
            State(schedule: PrioritySchedule(slotCount: max(1, maximumConcurrentOperationCount))))
        self.mappingQueue = mappingQueue
    }

    deinit {
        // Without operations, nothing can follow.
        for observer in state.withLock({ $0.observers.values.map(\.self) }) { observer.finish() }
    }

    /// The maximum number of operations that execute at the same time, at least 1.
    ///
    /// Operations that already execute are not affected.
    public var maximumConcurrentOperationCount: Int {
        get { state.withLock { $0.schedule.slotCount } }
        set {
            state.withLock { $0.schedule.slotCount = max(1, newValue) }
            startOperations()
        }
    }

    /// A Boolean value that indicates whether no operation starts.
    ///
    /// Operations that already execute are not affected.
    public var isSuspended: Bool {
        get { state.withLock { $0.schedule.isSuspended } }
        set {
            state.withLock { $0.schedule.isSuspended = newValue }
            startOperations()
        }
    }

    /// The operations that are not finished, in the order in which they were enqueued.
    ///
    /// - Complexity: O(*n* log *n*).
    public var operations: [RequestOperation] { state.withLock { $0.schedule.elements } }

    /// The number of operations that are not finished.
    public var operationCount: Int { state.withLock { $0.schedule.count } }

    /// Enqueues operations, in the order of the arguments.
    ///
    /// An operation that was cancelled before does not execute.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if one of the
    ///   operations was enqueued before, or is contained twice. Nothing is then enqueued.
    public func enqueue(_ operations: RequestOperation...) throws(NetworkingError) {
        try enqueue(operations)
    }

    /// Enqueues operations, in the order of the array.
    ///
    /// An operation that was cancelled before does not execute.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if one of the
    ///   operations was enqueued before, or is contained twice. Nothing is then enqueued.
    public func enqueue(_ operations: [RequestOperation]) throws(NetworkingError) {
        for (index, operation) in operations.enumerated() where !operation.reserve() {
            for reserved in operations[..<index] { reserved.unreserve() }
            throw operation.error(
                .invalidRequest, stage: .assembly,
                cause: "the operation was enqueued before; enqueue a copy of it")
        }
        for operation in operations {
            operation.kind.willEnqueue(operation)
            // Inserted before it is attached, so that an event that follows finds the operation.
            let ticket = state.withLock { state in
                state.schedule.insert(operation, priority: operation.priority, isReady: false)
            }
            operation.attach(to: self, ticket)
            // A call within the work of an operation would wait for the slot that this operation has.
            if !(operation.isCallWithinOperation(of: self) && operation.start()) {
                update(operation, ticket)
            }
        }
    }

    /// Cancels all operations in the queue.
    public func cancelAll() {
        for operation in operations { operation.cancel() }
    }

    /// Waits until the queue has no operations.
    ///
    /// Callbacks may still be running then.
    ///
    /// - Throws: `CancellationError` if the task that waits is cancelled. The operations are not
    ///   affected.
    public func waitUntilFinished() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let isIdle = state.withLock { state in
            if state.schedule.count > 0 { state.idleWaiters.append(continuation) }
            return state.schedule.count == 0
        }
        if isIdle { return }
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// The operations that finish from now on, in the order in which they finish.
    ///
    /// Each access returns a sequence of its own, which buffers the operations that its iterator has
    /// not read. It ends when the queue is released.
    public var finishedOperations: AsyncStream<RequestOperation> {
        let (stream, continuation) = AsyncStream.makeStream(of: RequestOperation.self)
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        return stream
    }
}

// MARK: - Events of operations

extension ObjectRequestQueue {
    /// Adopts the current state and priority of an operation, then starts what can start.
    ///
    /// Reads the operation under the queue's lock, so that the last of several concurrent updates
    /// sees the newest state. An operation never calls the queue under its own lock.
    func update(_ operation: RequestOperation, _ ticket: Ticket) {
        let isFinished = state.withLock { state in
            let (current, priority) = operation.stateAndPriority
            state.schedule.update(ticket, priority: priority, isReady: current == .ready)
            return current.isFinished
        }
        if isFinished {
            remove(operation, ticket)
        } else {
            startOperations()
        }
    }

    /// Removes a finished operation, then starts what can start.
    func remove(_ operation: RequestOperation, _ ticket: Ticket) {
        let idleWaiters = state.withLock { state in
            guard state.schedule.remove(ticket) != nil else {
                return [AsyncStream<Never>.Continuation]()
            }
            // Under the lock, for the order of the sequence; consumers run elsewhere.
            for observer in state.observers.values { observer.yield(operation) }
            guard state.schedule.count == 0 else { return [] }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in idleWaiters { waiter.finish() }
        startOperations()
    }

    private func startOperations() {
        while let (ticket, operation) = state.withLock({ $0.schedule.takeSlot() }) {
            guard !operation.start() else { continue }
            // Cancelled, or given a dependency, since it became ready.
            state.withLock { $0.schedule.returnSlot(ticket) }
            update(operation, ticket)
        }
    }
}
