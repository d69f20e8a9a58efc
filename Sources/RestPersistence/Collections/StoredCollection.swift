// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The objects that a request returned, as a store keeps them.
///
/// A GET request of an object manager stores the collection in the transaction that writes the rows.
/// The collection has the order of the server, and answers requests while the server confirms that it
/// has not changed, or cannot be reached.
public struct StoredCollection: Sendable {
    /// The request.
    public let request: CollectionRequest

    /// The IDs of the objects in the order of the response, each once; for the pages of a list, those
    /// of the last walk.
    ///
    /// Objects that have been deleted from the store are not members.
    public let objectIDs: [ManagedObjectID]

    /// The IDs of the objects that an earlier walk over the pages contained, and the last one has not,
    /// in their former order.
    ///
    /// The server may have deleted them, or the walk may have missed them. They stay until a walk is
    /// complete beyond doubt and deletes them.
    public let unconfirmedIDs: [ManagedObjectID]

    /// A Boolean value that indicates whether the list has no more objects, as far as the responses
    /// tell.
    ///
    /// It is `false` while a walk over the pages that has found a change is unfinished, and for a single
    /// response that refers to a next page. Unchanged pages confirm the list as it is.
    public let isComplete: Bool

    /// The time at which the first response of the collection was received, as the store has it.
    ///
    /// A response that brings the same again is a confirmation.
    public let fetchedAt: Date

    /// The time at which the server has sent the collection, or has last confirmed that it is
    /// unmodified, also by sending it again.
    ///
    /// To spare writes, it is up to an hour earlier than the last confirmation.
    public let confirmedAt: Date

    /// The reasons for which the last walk over the pages does not prove that the unconfirmed objects
    /// are gone, sorted; none for a single response.
    public var incompletenessReasons: [IncompletenessReason] {
        facts.walk.reasons.sorted { $0.rawValue < $1.rawValue }
    }

    /// The stored facts about the responses.
    package let facts: CollectionFacts

    /// The number of members whose rows are missing although no context has deleted them.
    package let missingCount: Int
}

extension StoredCollection {
    /// Returns the change by a confirmation of the server; `nil` if it is not written.
    package func confirmation(at date: Date, freshUntil: Date?) -> CollectionChange? {
        let age = date.timeIntervalSince(confirmedAt)
        if freshUntil == nil, age < CollectionChange.confirmationInterval { return nil }
        return .confirmed(request, at: date, freshUntil: freshUntil)
    }
}
