// SPDX-License-Identifier: Apache-2.0

extension ObjectRequestOperation {
    /// Takes the operation through the queue of its manager, executes it within the calling task, and returns
    /// its response.
    ///
    /// - Throws: The error of the operation; `CancellationError` if the calling task is cancelled.
    package func call() async throws -> sending MappedResponse<Value> {
        try await operation.call(in: queue, ending: false)
        return try takeFinished()
    }

    /// Takes the operation through the queue of its manager, and finishes it in the caller's isolation.
    ///
    /// The operation executes until the closure has returned.
    ///
    /// - Parameter finish: Receives the value after the work of the operation.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the operation or of the closure; `CancellationError` if the calling task is
    ///   cancelled.
    package func call<Output>(
        finishing finish: (sending MappedResponse<Value>) async throws -> Output
    ) async throws -> Output {
        do {
            try await operation.call(in: queue, ending: true)
            let output = try await finish(try takeFinished())
            operation.end(throwing: nil)
            return output
        } catch {
            operation.end(throwing: error)
            guard error is CancellationError, !Task.isCancelled else { throw error }
            throw operation.error ?? error
        }
    }
}
