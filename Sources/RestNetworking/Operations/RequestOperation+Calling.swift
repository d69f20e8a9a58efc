// SPDX-License-Identifier: Apache-2.0

import Synchronization

// A call owns its operation. The operation takes its turn in the queue like others. Its work is a child of the
// calling task, from which it has its task-local values, its executor, its priority and its cancellation.

extension RequestOperation {
    /// Takes the operation through a queue and executes its work within the calling task.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - endsIt: A Boolean value that indicates whether the caller ends the operation if its work
    ///     succeeds.
    /// - Throws: The error of the operation; `CancellationError` if the calling task is cancelled.
    func call(in queue: ObjectRequestQueue, ending endsIt: Bool) async throws {
        record.withLock { $0.setCaller(ending: endsIt) }
        try queue.enqueue([self])
        await withTaskCancellationHandler {
            await waitForEvent { $0.hasStarted || $0.state.isFinished }
            if !state.isFinished { await executeInChild() }
        } onCancel: {
            cancel()
        }
        try checkSuccess()
    }

    /// Returns a Boolean value that indicates whether the operation is a call that an operation of a queue
    /// makes while it executes.
    func isCallWithinOperation(of queue: ObjectRequestQueue) -> Bool {
        !scope.isEmpty && isCall && scope.contains { $0.isExecuting(in: queue) }
    }

    /// A Boolean value that indicates whether the operation executes within the calling task.
    var isCall: Bool { record.withLock(\.isCall) }

    private func isExecuting(in queue: ObjectRequestQueue) -> Bool {
        record.withLock { $0.membership?.queue === queue && !$0.state.isFinished }
    }

    /// Executes the work in a child of the calling task.
    private func executeInChild(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskGroup(of: Void.self) { group in
            // Outside of an actor, the work begins on the thread of the caller.
            if isolation == nil, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                group.addImmediateTask { await self.execute() }
            } else {
                group.addTask { await self.execute() }
            }
            await waitForEvent { $0.isHandedOver || $0.state.isCancelled || $0.state.isFinished }
            // Cancelling the operation cancels its work, not the calling task.
            if state == .cancelling { group.cancelAll() }
        }
    }

    /// Waits until an event after which a condition holds.
    private func waitForEvent(
        _ isOver: @Sendable (OperationRecord) -> Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        while !record.withLock({ isOver($0) }) {
            await withCheckedContinuation { continuation in
                let waits = record.withLock { $0.addOwner(continuation, unless: isOver) }
                if !waits { continuation.resume() }
            }
        }
    }

    /// Checks that the operation was not cancelled and has no error.
    ///
    /// - Throws: The error of the operation; `CancellationError` if the calling task is cancelled.
    private func checkSuccess() throws {
        let (error, isCancelled) = record.withLock { ($0.error, $0.state.isCancelled) }
        if isCancelled, Task.isCancelled || error == nil { throw CancellationError() }
        if let error { throw error }
    }
}

extension RequestOperation {
    /// Ends an operation whose work was handed over.
    ///
    /// - Parameter error: The error of what followed the work; `nil` if it has succeeded.
    func end(throwing error: (any Error)?) {
        end(error.map { .failure($0) } ?? .success(record.withLock(\.received)))
    }
}
