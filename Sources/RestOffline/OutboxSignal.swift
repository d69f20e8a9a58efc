// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A signal that something has changed, for any number of tasks that wait for the next change.
///
/// The identity of the changes of one outbox.
final class OutboxSignal: Sendable {
    private let continuations = Mutex<(next: Int, waiting: [Int: AsyncStream<Void>.Continuation])>(
        (0, [:]))

    /// The changes from now on; those that nobody has waited for are one.
    var changes: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = continuations.withLock { state in
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.continuations.withLock { _ = $0.waiting.removeValue(forKey: id) }
        }
        return stream
    }

    func send() {
        for continuation in continuations.withLock({ Array($0.waiting.values) }) {
            continuation.yield()
        }
    }

    func finish() {
        for continuation in continuations.withLock({ Array($0.waiting.values) }) {
            continuation.finish()
        }
    }
}
