// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows
package import RestTransport

/// The changes of one object that are sent in one request.
///
/// An entry is open until something closes it: an attempt, or a save under another principal. Saves change
/// an open entry, and what it sends is the difference between the object and its base. A closed entry keeps
/// its values.
package struct OutboxEntry: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case creation
        case update
        case deletion
        /// A request besides the values of the object, such as a cancellation.
        case command
    }

    package enum State: Sendable, Hashable {
        /// The entry is sent when its turn comes.
        case waiting
        /// A send has begun and is not answered.
        case sending
        /// The server is searched for the effect of an unanswered creation.
        case probing(negative: Int)
        /// The object is read before the next attempt.
        case reading
        /// The server has refused the request; the entry waits for the user.
        case refused(Refusal)
        /// The object and the server have different values, and no policy decides.
        case conflicted
        /// A creation may have had its effect; the entry waits for the user.
        case uncertain
        /// The user has discarded an entry whose request may be executed. It is not sent again, and ends with
        /// its answer or with the life of the request.
        case abandoned

        /// A Boolean value that indicates whether only the user can continue.
        package var isParked: Bool {
            switch self {
            case .refused, .conflicted, .uncertain: true
            case .waiting, .sending, .probing, .reading, .abandoned: false
            }
        }
    }

    package enum Refusal: Sendable, Hashable {
        /// The server refuses the request, with a status code.
        case rejected(Int)
        /// The object of an update does not exist any more.
        case gone
        /// The server has received another request with the idempotency key.
        case keyReused
        /// The request cannot be written.
        case invalid
    }

    /// The position in the order of all entries.
    package let sequence: Int64
    package var kind: Kind
    /// The principal under which the changes were saved, and are sent.
    package let principal: Principal?
    package var state = State.waiting
    /// A Boolean value that indicates whether saves do not change the entry any more.
    package var isClosed = false
    /// The values of a closed entry, or those that the server has of a deleted object.
    package var values: ObjectImage = [:]
    /// The request, once it is written.
    package var attempt: OutboxAttempt?
    /// The time before which nothing is sent.
    package var notBefore = Date.distantPast
    /// The number of sends in succession that failed for transient reasons.
    package var failureCount = 0
    /// The number of conflicts with the version of the server.
    package var conflictCount = 0
    /// A Boolean value that indicates whether a creation that has ended without success may have had its
    /// effect.
    package var mayExist = false
    /// A Boolean value that indicates whether the entry only has what the request before it could not contain.
    package var isRemainder = false
    /// The identity of the object that the server has in place of a new one.
    package var existing: StoredValue?
    /// The request of a command; `nil` for other entries.
    package var command: OutboxCommand?
    /// The time after which the first send must not begin; `nil` for no limit.
    package var expires: Date?
    /// The number of the save that has opened the entry; `nil` if it is not stored.
    package var save: Int64?

    package init(sequence: Int64, kind: Kind, principal: Principal?) {
        self.sequence = sequence
        self.kind = kind
        self.principal = principal
    }

    /// Returns a Boolean value that indicates whether the first send must not begin any more.
    package func isLate(at date: Date) -> Bool {
        attempt == nil && (expires ?? .distantFuture) <= date
    }

    /// A Boolean value that indicates whether a save can change the entry.
    var isOpen: Bool { !isClosed && attempt == nil }
}
