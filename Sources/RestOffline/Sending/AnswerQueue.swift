// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence
import Synchronization

/// The answers that wait to be recorded together.
///
/// An answer that arrives alone is recorded at once. Answers that arrive while others are being recorded share
/// the next action, which reads and writes their edits together; the transactions of a store only commit
/// closures together.
///
/// The identity of the answers of one sender.
final class AnswerQueue: Sendable {
    private struct Waiting: Sendable {
        let action: AnswerAction
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let content: StoreContent
    private let state = Mutex<(waiting: [Waiting], isRunning: Bool)>(([], false))

    init(_ content: StoreContent) { self.content = content }

    /// Records an answer, also if the task is cancelled.
    ///
    /// - Throws: `PersistenceError` if this answer cannot be recorded.
    func record(_ action: any SaveAction) async throws {
        guard let action = action as? AnswerAction, action.isGroupable else {
            return try await content.perform(action)
        }
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Waiting(action: action, continuation: continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if begins { Task { await run() } }
        }
    }

    private func run() async {
        while true {
            let group = state.withLock { state in
                defer { state.waiting = [] }
                state.isRunning = !state.waiting.isEmpty
                return state.waiting
            }
            if group.isEmpty { return }
            if group.count > 1,
                (try? await content.perform(AnswerGroupAction(group.map(\.action)))) != nil
            {
                for waiting in group { waiting.continuation.resume() }
                continue
            }
            // One of them may be the reason of a failure.
            for waiting in group {
                do {
                    try await content.perform(waiting.action)
                    waiting.continuation.resume()
                } catch {
                    waiting.continuation.resume(throwing: error)
                }
            }
        }
    }
}
