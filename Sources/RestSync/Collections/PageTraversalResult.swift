// SPDX-License-Identifier: Apache-2.0

public import RestPersistence

/// The treatment of objects that a complete walk over the pages of a list has not found.
///
/// Such an object was found by an earlier walk over the same list.
public struct OrphanPolicy: Sendable, Hashable {
    /// The maximum share of the collection that is deleted; `nil` to delete nothing.
    let maximumShare: Double?
    let requiresValidators: Bool

    /// The objects stay, as unconfirmed members of the collection.
    public static let keep = OrphanPolicy(maximumShare: nil, requiresValidators: false)

    /// Deletes the objects from the store if the walk proves that the server has none of them.
    ///
    /// The walk must have begun at the first page and reached the end; every page must be a list that
    /// the server sent and that was imported completely, no object may be on two pages, and the number
    /// of objects must be the one that the server has sent, if it has. A list of several pages can
    /// change between two requests, so that an object is on no page. All pages are therefore validated
    /// after the last one: if each of them is unchanged, all were parts of one state of the list.
    ///
    /// Objects that other lists contain are not deleted, as they may only have left a filtered list; they are
    /// in ``PageTraversalResult/keptIDs``. The details of a single object are no list. All others stay as unconfirmed
    /// members if there is any doubt, such as that one of them was written since the walk began.
    ///
    /// - Parameters:
    ///   - maximumShare: The maximum share of the members that may be deleted, from 0 to 1. If there
    ///     are more, as in a list that the server cut short, none is deleted.
    ///   - requiresValidators: A Boolean value that indicates whether lists of several pages without
    ///     entity tags and times of modification prove nothing. A time of modification counts if it is at
    ///     least a second before the `Date` of the response. Pass `false` only for lists that do
    ///     not change during a walk.
    /// - Returns: The policy.
    public static func delete(
        maximumShare: Double = 0.2, requiresValidators: Bool = true
    ) -> OrphanPolicy {
        OrphanPolicy(maximumShare: maximumShare, requiresValidators: requiresValidators)
    }
}

/// The result of a walk over all pages of a list.
public struct PageTraversalResult: Sendable {
    /// The number of pages that this iteration has imported.
    public internal(set) var pageCount = 0

    /// The collection at the end of the walk; `nil` if the walk did not reach the end, or the request
    /// has no collection.
    public internal(set) var collection: StoredCollection?

    /// The IDs of the objects that were deleted because the list does not contain them any more.
    public internal(set) var orphanIDs: [ManagedObjectID] = []

    /// The objects that the list does not contain any more and that stay because other lists contain them,
    /// with the requests of these lists.
    public internal(set) var keptIDs: [ManagedObjectID: [CollectionRequest]] = [:]

    /// The reasons for which no object was deleted, if objects were not found; empty if there were
    /// none, or they were deleted, or the policy is ``OrphanPolicy/keep``.
    public internal(set) var incompletenessReasons: [IncompletenessReason] = []
}
