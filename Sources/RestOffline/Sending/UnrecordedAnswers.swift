// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import Synchronization

/// The answers of the server that could not be written into the file, as when the disk was full.
///
/// They are written before anything else is sent. While the process lives, none of them counts as lost.
///
/// The identity of the answers of one sender.
final class UnrecordedAnswers: Sendable {
    private let kept = Mutex<[Int64: AnswerAction]>([:])

    /// The answers in the order of their attempts.
    var actions: [(attempt: Int64, action: AnswerAction)] {
        kept.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    func keep(_ action: AnswerAction, of attempt: Int64) {
        kept.withLock { $0[attempt] = action }
    }

    func remove(_ attempt: Int64) { kept.withLock { _ = $0.removeValue(forKey: attempt) } }
}

/// The answer of a request, while it is imported.
///
/// The identity of one exchange.
final class LastAnswer: Sendable {
    private let noted = Mutex<AnswerAction?>(nil)

    var action: AnswerAction? { noted.withLock(\.self) }

    func note(_ action: AnswerAction) -> AnswerAction {
        noted.withLock { $0 = action }
        return action
    }
}

/// The values of an object in a response that is not imported.
///
/// The identity of one exchange.
final class LastImage: Sendable {
    private let noted = Mutex<ObjectImage>([:])

    var image: ObjectImage { noted.withLock(\.self) }

    func set(_ image: ObjectImage) { noted.withLock { $0 = image } }
}
