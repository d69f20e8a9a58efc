// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The value of an operation and the callbacks that wait for it.
///
/// Separate from the ``RequestOperation``, whose closures refer to it, so that an operation that is
/// never started is released with its callbacks.
final class OperationResult<Value>: Sendable {
    /// A callback of an operation.
    struct Callback: Sendable {
        let executor: (any TaskExecutor)?
        let body: @concurrent @Sendable (ObjectRequestOperation<Value>) async -> Void
    }

    private struct State {
        var value: TransferableValue<MappedResponse<Value>>?
        /// All callbacks, also those that were called, for copies of the operation.
        var callbacks: [Callback] = []
        var isFinished = false
    }

    private let state: Mutex<State>

    init(callbacks: [Callback] = []) {
        state = Mutex(State(callbacks: callbacks))
    }

    /// The callbacks, for a copy of the operation.
    var callbacks: [Callback] { state.withLock(\.callbacks) }

    /// The value; `nil` if there is none.
    var value: TransferableValue<MappedResponse<Value>>? { state.withLock(\.value) }

    /// Stores the value.
    func store(_ value: TransferableValue<MappedResponse<Value>>) {
        state.withLock { $0.value = value }
    }

    /// Adds a callback, and calls it if the operation is finished.
    func add(_ callback: Callback, of operation: ObjectRequestOperation<Value>) {
        let isFinished = state.withLock { state in
            state.callbacks.append(callback)
            return state.isFinished
        }
        if isFinished { Self.call([callback], operation) }
    }

    /// Calls the callbacks of a finished operation.
    func finish(_ operation: ObjectRequestOperation<Value>) {
        let isCancelled = operation.operation.isCancelled
        let callbacks = state.withLock { state in
            state.isFinished = true
            if isCancelled { state.value = nil }
            return state.callbacks
        }
        Self.call(callbacks, operation)
    }

    /// Calls callbacks one after the other, in a task of their own, which is not cancelled with the
    /// operation.
    private static func call(
        _ callbacks: [Callback], _ operation: ObjectRequestOperation<Value>
    ) {
        guard !callbacks.isEmpty else { return }
        Task.detached(priority: operation.operation.priority.taskPriority) {
            for callback in callbacks {
                await withTaskExecutorPreference(callback.executor) {
                    await callback.body(operation)
                }
            }
        }
    }
}

/// A value that can be transferred to another isolation once, or read if its type is Sendable.
final class TransferableValue<Value>: Sendable {
    private let storage: Mutex<Value?>

    init(_ value: consuming sending Value) {
        storage = Mutex(value)
    }

    /// Returns the value and gives it up; `nil` if it was taken before.
    func take() -> sending Value? {
        storage.withLock { stored in
            let value = stored
            stored = nil
            return value
        }
    }
}

extension TransferableValue where Value: Sendable {
    /// The value; `nil` if it was taken.
    var value: Value? { storage.withLock { $0 } }
}
