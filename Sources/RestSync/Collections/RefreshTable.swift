// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import Synchronization

/// The refreshes in progress, which identical ones join.
final class RefreshTable: Sendable {
    struct Key: Hashable {
        let request: CollectionRequest?
        let store: StoreToken
        let entity: ObjectIdentifier
    }

    private let tasks = Mutex<[Key: Task<ManagedResult, any Error>]>([:])

    /// Returns the result of a refresh in progress, or of a new one.
    ///
    /// The request continues if a caller is cancelled, because others may wait for it; the caller does not wait
    /// for its end.
    ///
    /// - Throws: The error of the request, or `CancellationError`.
    func join(
        _ key: Key, _ send: @escaping @Sendable () async throws -> ManagedResult
    ) async throws -> ManagedResult {
        let task = tasks.withLock { tasks in
            if let task = tasks[key] { return task }
            let task = Task {
                defer { self.tasks.withLock { $0[key] = nil } }
                return try await send()
            }
            tasks[key] = task
            return task
        }
        let (results, continuation) = AsyncStream.makeStream(
            of: Result<ManagedResult, any Error>.self)
        Task {
            continuation.yield(await task.result)
            continuation.finish()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
