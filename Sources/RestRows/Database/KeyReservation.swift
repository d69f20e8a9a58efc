// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The keys that are reserved in the file and not yet assigned.
///
/// A key is never assigned twice, even if its object is not saved, and it is greater than those that were
/// assigned before, so that the oldest of several objects has the least key. Another process assigns its own
/// reserved keys at the same time. Keys are reserved ahead: when half of a block is assigned, the next one is
/// reserved in the background, so that inserting an object does not wait for the writer.
final class KeyReservation: Sendable {
    /// The number of keys in a block.
    static let blockSize: Int64 = 4096

    private struct State {
        var current: Range<Int64> = 0..<0
        var next: Range<Int64> = 0..<0
        var isRefilling = false
        /// The key after the greatest one that was assigned.
        var assignedEnd: Int64 = 0

        mutating func take(_ count: Int64) -> Range<Int64>? {
            if count > current.count {
                guard count <= next.count else { return nil }
                current = next
                next = 0..<0
            }
            let range = current.lowerBound..<current.lowerBound + count
            current = range.upperBound..<current.upperBound
            assignedEnd = range.upperBound
            return range
        }

        /// Keeps the blocks whose keys are greater than all assigned ones.
        mutating func giveUpLesserKeys() {
            if current.lowerBound < assignedEnd {
                current = next
                next = 0..<0
            }
            if current.lowerBound < assignedEnd { current = 0..<0 }
        }

        /// Returns whether the caller has to reserve the next block.
        mutating func startsRefill() -> Bool {
            guard !isRefilling, next.isEmpty,
                Int64(current.count) <= KeyReservation.blockSize / 2
            else { return false }
            isRefilling = true
            return true
        }
    }

    private let state = Mutex(State())

    /// Takes keys.
    ///
    /// - Returns: The keys, `nil` if not enough are reserved; and whether the caller has to reserve the
    ///   next block and to call ``refill(_:)``.
    func take(_ count: Int64) -> (keys: Range<Int64>?, needsRefill: Bool) {
        state.withLock { state in
            let keys = state.take(count)
            return (keys, state.startsRefill())
        }
    }

    /// Adds a block that was reserved ahead; `nil` if that failed.
    func refill(_ block: Range<Int64>?) {
        state.withLock { state in
            state.isRefilling = false
            guard let block, block.lowerBound >= state.assignedEnd else { return }
            if state.current.isEmpty { state.current = block } else { state.next = block }
        }
    }

    /// Gives up keys after others, which were not reserved ahead, have been assigned.
    ///
    /// - Parameter key: The key after the last assigned one.
    /// - Returns: Whether the caller has to reserve the next block and to call ``refill(_:)``.
    func giveUp(below key: Int64) -> Bool {
        state.withLock { state in
            guard key > state.assignedEnd else { return false }
            state.assignedEnd = key
            state.giveUpLesserKeys()
            return state.startsRefill()
        }
    }
}
