// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Invalidation counters, which prevent that a response to an earlier request is stored after an
/// invalidation.
///
/// Keys share a fixed number of counters, so an invalidation of another key can prevent that a
/// response is stored, but an outdated response is never stored.
final class CacheEpochs: Sendable {
    /// The counters at the time of a request.
    struct Snapshot: Sendable {
        fileprivate let slot: Int
        fileprivate let count: UInt64
        fileprivate let total: UInt64
    }

    private struct State {
        var counts = [UInt64](repeating: 0, count: 256)
        var total: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Returns the present counters of a key.
    func snapshot(for key: CacheKey) -> Snapshot {
        let slot = Self.slot(of: key)
        return state.withLock { state in
            Snapshot(slot: slot, count: state.counts[slot], total: state.total)
        }
    }

    /// Returns a Boolean value that indicates whether the key has not been invalidated since.
    func isCurrent(_ snapshot: Snapshot) -> Bool {
        state.withLock { state in
            state.counts[snapshot.slot] == snapshot.count && state.total == snapshot.total
        }
    }

    /// Invalidates the earlier snapshots of a key.
    func advance(for key: CacheKey) {
        let slot = Self.slot(of: key)
        state.withLock { $0.counts[slot] += 1 }
    }

    /// Invalidates all earlier snapshots.
    func advanceAll() {
        state.withLock { $0.total += 1 }
    }

    private static func slot(of key: CacheKey) -> Int {
        Int(UInt(bitPattern: key.hashValue) % 256)
    }
}
