// SPDX-License-Identifier: Apache-2.0

public import RestTransport

extension ObjectRequestOperation {
    /// Calls a closure when the operation is finished, whatever its outcome.
    ///
    /// Each closure is called exactly once for each operation, also if it is added after the
    /// operation has finished, and again for each copy of the operation. The closures of an operation
    /// are called one after the other, in the order in which they were added. A task that waits for
    /// the operation does not wait for them.
    ///
    /// ```swift
    /// operation.onFinish { @MainActor operation in
    ///     if let error = operation.error { show(error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - executor: The executor that is preferred for the closure; `nil` for the concurrent one. A
    ///     closure that is isolated to an actor runs there in any case.
    ///   - callback: The closure. It is kept for copies of the operation, and should use its
    ///     parameter instead of capturing the operation.
    /// - Returns: The operation, for further calls.
    @discardableResult
    public func onFinish(
        on executor: (any TaskExecutor)? = nil,
        _ callback: @escaping @concurrent @Sendable (ObjectRequestOperation) async -> Void
    ) -> ObjectRequestOperation {
        result.add(OperationResult.Callback(executor: executor, body: callback), of: self)
        return self
    }

    /// Calls one of two closures when the operation is finished.
    ///
    /// The closures are called as by ``onFinish(on:_:)``.
    ///
    /// - Parameters:
    ///   - executor: The executor that is preferred for the closures; `nil` for the concurrent one.
    ///   - success: A closure that receives an operation that succeeded.
    ///   - failure: A closure that receives an operation that failed or was cancelled, and its error.
    /// - Returns: The operation, for further calls.
    @discardableResult
    public func onFinish(
        on executor: (any TaskExecutor)? = nil,
        success: @escaping @concurrent @Sendable (ObjectRequestOperation) async -> Void,
        failure: @escaping @concurrent @Sendable (ObjectRequestOperation, any Error) async -> Void
    ) -> ObjectRequestOperation {
        onFinish(on: executor) { operation in
            if let error = operation.operation.error {
                await failure(operation, error)
            } else {
                await success(operation)
            }
        }
    }

    /// Calls a closure with the progress of the request and its response, as
    /// ``RequestOperation/onProgress(interval:_:)`` does.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two reports of bytes.
    ///   - report: The closure, called for one report at a time, on any thread. The exchange waits
    ///     until it returns.
    /// - Returns: The operation, for further calls.
    @discardableResult
    public func onProgress(
        interval: Duration = .milliseconds(100),
        _ report: @escaping @Sendable (TransportProgress) -> Void
    ) -> ObjectRequestOperation {
        operation.onProgress(interval: interval, report)
        return self
    }
}
