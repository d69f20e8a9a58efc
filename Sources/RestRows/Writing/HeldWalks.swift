// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The progress of a walk over the pages of a list that the file does not have yet.
struct HeldWalk: Sendable {
    /// The walk that the file has.
    let noted: Int64
    let walk: CollectionWalk
}

/// The progress of walks that have found unchanged pages since they were noted in the file.
///
/// An unchanged page writes no row. What the walk has seen is written with the next change of the list, at the
/// end of the walk, or after a time; a process that is killed before repeats the unchanged pages.
///
/// Walks are held on the queue of the writer, after the commit of their transaction, so that their order is
/// that of the transactions.
package final class HeldWalks: Sendable {
    private struct Entry {
        var held: HeldWalk
        var timer: Task<Void, Never>?
    }

    private let entries = Mutex<[CollectionRequest: Entry]>([:])

    /// The lists with a walk that is held.
    var requests: [CollectionRequest] { entries.withLock { Array($0.keys) } }

    /// Returns the progress of the last walk over a list; `nil` if the file has it, or another process has
    /// written a later one.
    func walk(of request: CollectionRequest, after noted: CollectionWalk) -> CollectionWalk? {
        entries.withLock { entries in
            guard let held = entries[request]?.held,
                held.noted == noted.id || held.walk.id == noted.id
            else { return nil }
            return held.walk
        }
    }

    /// Returns a Boolean value that indicates whether a walk over a list is held.
    package func contains(_ request: CollectionRequest) -> Bool {
        entries.withLock { $0[request] != nil }
    }

    /// Applies the changes of a transaction, in which a walk that was noted is `nil`.
    func apply(_ changes: [CollectionRequest: HeldWalk?]) {
        if changes.isEmpty { return }
        let timers = entries.withLock { entries in
            var timers: [Task<Void, Never>] = []
            for (request, held) in changes {
                if let held {
                    entries[request, default: Entry(held: held)].held = held
                } else if let timer = entries.removeValue(forKey: request)?.timer {
                    timers.append(timer)
                }
            }
            return timers
        }
        for timer in timers { timer.cancel() }
    }

    /// Starts to wait before a walk is noted, unless it is not held or someone waits already.
    ///
    /// - Parameters:
    ///   - request: The list.
    ///   - wait: A closure that waits and notes the walk.
    package func note(_ request: CollectionRequest, by wait: @escaping @Sendable () async -> Void) {
        entries.withLock { entries in
            guard let entry = entries[request], entry.timer == nil else { return }
            entries[request]?.timer = Task(priority: .utility) { await wait() }
        }
    }

    /// Forgets that someone waits, whose waiting is over.
    package func endWaiting(for request: CollectionRequest) {
        entries.withLock { $0[request]?.timer = nil }
    }
}
