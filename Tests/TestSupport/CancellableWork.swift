// SPDX-License-Identifier: Apache-2.0

/// A task whose work can cancel it at a step of its own.
package struct CancellableWork<Success: Sendable>: Sendable {
    /// The task.
    package let task: Task<Success, any Error>

    /// Creates a task with a closure that receives the function that cancels it.
    package init(
        _ work:
            @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws ->
            Success
    ) {
        let (stream, continuation) = AsyncStream<@Sendable () -> Void>.makeStream()
        let task = Task {
            for await cancel in stream { return try await work(cancel) }
            throw CancellationError()
        }
        continuation.yield { task.cancel() }
        self.task = task
    }
}
