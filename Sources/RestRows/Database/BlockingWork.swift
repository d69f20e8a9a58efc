// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Work on files, which blocks and therefore runs on dispatch queues instead of the threads of the
/// cooperative pool.
package enum BlockingWork {
    /// Calls a closure on a queue.
    package static func run<Success: Sendable>(
        on queue: DispatchQueue = .global(qos: .userInitiated),
        _ body: @escaping @Sendable () throws(PersistenceError) -> Success
    ) async throws(PersistenceError) -> Success {
        let result: Result<Success, PersistenceError> = await withCheckedContinuation {
            continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(PersistenceError) in try body() })
            }
        }
        return try result.get()
    }
}
