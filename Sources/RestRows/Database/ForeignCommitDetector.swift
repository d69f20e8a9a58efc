// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization

/// The detection of commits of other connections, such as those of other processes.
///
/// SQLite does not notify processes of each other's commits. `PRAGMA data_version` of the writing
/// connection changes with every commit of another connection, and not with its own. Asking for it at
/// intervals takes some microseconds and wakes no observer.
final class ForeignCommitDetector: Sendable {
    private let pool: ConnectionPool
    private let interval: Duration
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ pool: ConnectionPool, interval: Duration) {
        self.pool = pool
        self.interval = interval
    }

    deinit { stop() }

    /// Starts to detect commits since the store was opened; starting again has no effect.
    ///
    /// - Parameter handler: A closure that is called on the writer's queue after commits of others.
    func start(_ handler: @escaping @Sendable () -> Void) {
        task.withLock { [pool, interval] task in
            guard task == nil else { return }
            task = Task.detached(priority: .utility) {
                var version = pool.initialDataVersion
                while !Task.isCancelled {
                    guard let next = await Self.dataVersion(of: pool, after: version, handler)
                    else { return }
                    version = next
                    try? await Task.sleep(for: interval, tolerance: interval)
                }
            }
        }
    }

    /// Stops; the detector cannot be started again.
    func stop() { task.withLock { $0?.cancel() } }

    /// Returns the version, after calling the handler if it differs; `nil` if the store is closed.
    private static func dataVersion(
        of pool: ConnectionPool, after version: Int, _ handler: @escaping @Sendable () -> Void
    ) async -> Int? {
        await withCheckedContinuation { continuation in
            do throws(PersistenceError) {
                try pool.enqueueWrite { database in
                    // A version that cannot be read now is read the next time.
                    let next = try? ConnectionPool.dataVersion(of: database)
                    if let next, next != version { handler() }
                    continuation.resume(returning: next ?? version)
                }
            } catch {
                continuation.resume(returning: nil)
            }
        }
    }
}
