// SPDX-License-Identifier: Apache-2.0

/// The meaning of an answer to a request of the outbox.
package enum AnswerMeaning: Sendable, Hashable {
    /// The request had its effect.
    case accepted
    /// The request had no effect and would have none again; the user decides.
    case refused
    /// The object of the request does not exist any more.
    case gone
    /// The object has another version than the request is based on.
    case conflict
    /// The server has an object with the identity of the new one.
    case exists
    /// The server executes an earlier request with the key; this one is sent again unchanged.
    case inProgress
    /// The server has received another request with the key.
    case keyReused
    /// The credentials are missing or not valid any more.
    case unauthorized
    /// The request had no effect now and may have it later.
    case postponed
    /// The request may have had its effect.
    case uncertain
}
