// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps answers that were asked for before something was invalidated from being stored after it.
///
/// Keys share counters, so that there is a fixed number of them: an answer may be dropped because of
/// another key, never kept wrongly.
final class CacheEpochs: Sendable {
    /// The moment a question was asked.
    struct Moment: Sendable {
        fileprivate let slot: Int
        fileprivate let count: UInt64
        fileprivate let total: UInt64
    }

    private struct State {
        var counts = [UInt64](repeating: 0, count: 256)
        var total: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The present, for a key.
    func moment(for key: CacheKey) -> Moment {
        let slot = Self.slot(of: key)
        return state.withLock { state in
            Moment(slot: slot, count: state.counts[slot], total: state.total)
        }
    }

    /// Whether nothing of the key has been invalidated since.
    func isCurrent(_ moment: Moment) -> Bool {
        state.withLock { state in
            state.counts[moment.slot] == moment.count && state.total == moment.total
        }
    }

    /// Makes all earlier moments of a key past.
    func advance(for key: CacheKey) {
        let slot = Self.slot(of: key)
        state.withLock { $0.counts[slot] += 1 }
    }

    /// Makes all earlier moments past.
    func advanceAll() {
        state.withLock { $0.total += 1 }
    }

    private static func slot(of key: CacheKey) -> Int {
        Int(UInt(bitPattern: key.hashValue) % 256)
    }
}
