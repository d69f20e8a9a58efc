// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The remedy if it is not known whether a creation had its effect.
package enum CreationRemedy: Sendable, Hashable {
    /// The request is sent again with the same key, as long as the server remembers it.
    case idempotencyKey(lifetime: Duration)
    /// The request is a PUT to the path of an identity from the client, on the condition that no object has
    /// it.
    case clientIdentity
    /// The server is searched for the object, at most this often before the request is sent again.
    case recognized(probeCount: Int)
    /// The request is not sent again without the user.
    case atMostOnce

    /// Returns a Boolean value that indicates whether a request may be sent again, whatever the reason.
    ///
    /// A server that has forgotten the key executes the request a second time.
    func allowsResend(
        _ attempt: OutboxAttempt, at date: Date, longestLife: Duration
    ) -> Bool {
        switch self {
        case .idempotencyKey(let lifetime):
            date.adding(longestLife) < attempt.firstSent.adding(lifetime)
        case .clientIdentity, .recognized: true
        case .atMostOnce: !attempt.isUncertain
        }
    }

    /// Returns the state of an entry after a send that may have had its effect.
    func stateAfterUncertainty() -> OutboxEntry.State {
        switch self {
        case .idempotencyKey, .clientIdentity: .waiting
        case .recognized: .probing(negative: 0)
        case .atMostOnce: .uncertain
        }
    }
}
