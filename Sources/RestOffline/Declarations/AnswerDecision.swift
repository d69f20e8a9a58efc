// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestNetworking
import RestOutbox
import RestPersistence

/// The meaning of an answer to a request of the outbox.
///
/// Status codes have meanings; a server that uses them otherwise, or tells the meaning in the body, is declared by
/// ``Sends/answer(_:to:means:)``.
public struct AnswerDecision: Sendable, Hashable {
    let meaning: AnswerMeaning
    private(set) var identityPath: DocumentPath?

    private init(_ meaning: AnswerMeaning, identityAt path: DocumentPath? = nil) {
        self.meaning = meaning
        identityPath = path
    }

    /// The request had its effect.
    public static let accepted = AnswerDecision(.accepted)
    /// The request had no effect and would have none again; the entry waits for the user.
    public static let refused = AnswerDecision(.refused)
    /// The object does not exist any more.
    public static let gone = AnswerDecision(.gone)
    /// The object has another version: it is read, the edits are merged with it, and the request is made anew.
    public static let conflict = AnswerDecision(.conflict)
    /// The server executes an earlier request with the idempotency key: this one is sent again unchanged.
    public static let keyInProgress = AnswerDecision(.inProgress)
    /// The server has received another request with the idempotency key, which is a defect that is shown.
    public static let keyReused = AnswerDecision(.keyReused)
    /// The credentials are missing or not valid any more: the entries of the principal pause.
    public static let unauthorized = AnswerDecision(.unauthorized)
    /// The request had no effect now and may have it later: it is sent again after a delay.
    public static let postponed = AnswerDecision(.postponed)
    /// The request may have had its effect, as if there were no answer.
    public static let uncertain = AnswerDecision(.uncertain)

    /// Returns the decision that the server has an object in place of the new one.
    ///
    /// The object is read and adopted: what differs becomes an edit of it. If the user has deleted the new one
    /// meanwhile, nothing is deleted on the server.
    ///
    /// - Parameter path: The path in the body of the identity of the object.
    /// - Returns: The decision.
    public static func exists(identityAt path: DocumentPath) -> AnswerDecision {
        AnswerDecision(.exists, identityAt: path)
    }
}

extension Sends {
    /// Returns a declaration with the meaning of some answers; of several that fit, the first declared one applies.
    ///
    /// ```swift
    /// Sends(Note.self).answer(
    ///     ResponsePattern(409, where: ResponseCondition(at: "error.code", .isOne(of: ["duplicate"]))),
    ///     to: [.creation], means: .exists(identityAt: "error.id"))
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The answers.
    ///   - kinds: The kinds of requests; all by default.
    ///   - decision: The meaning.
    /// - Returns: The declaration.
    public func answer(
        _ pattern: ResponsePattern,
        to kinds: Set<OutboxItem.Kind> = [.creation, .update, .deletion, .command],
        means decision: AnswerDecision
    ) -> Self {
        let kinds = Set(kinds.compactMap { OutboxEntry.Kind(rawValue: $0.description) })
        var copy = self
        copy.answers.append(
            AnswerRule(
                pattern, of: kinds, means: decision.meaning, identityAt: decision.identityPath))
        return copy
    }

    /// Returns a declaration whose version only grows, so that an image with a smaller one is older than the row, and
    /// is ignored.
    ///
    /// It is for servers with replicas that lag behind, and needs ``Precondition/version(_:inIfMatch:)``.
    public func monotonicVersion() -> Self {
        var copy = self
        copy.isMonotonic = true
        return copy
    }
}
