// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A change of a stored collection, which is part of the unsaved changes of a context.
///
/// It is written in the transaction that writes the rows, so that a collection never has members that
/// are not in the store, nor validators of a response whose rows were not saved.
package enum CollectionChange: Sendable {
    /// A response with members.
    case fetched(CollectionResponse)
    /// The server has confirmed that the members are unchanged.
    ///
    /// Without a time until which it is fresh, the confirmation of a collection is written once in
    /// each ``confirmationInterval``.
    case confirmed(CollectionRequest, at: Date, freshUntil: Date?)
    /// The progress of a walk over unchanged pages is written, unless the file has it.
    case noted(CollectionRequest)
    /// The last page of a walk has been received, so that the list has no pages behind it.
    case ended(CollectionRequest, walk: Int64)
    /// A walk that has ended is complete.
    ///
    /// The confirmation of an unchanged list is written once in each ``confirmationInterval``, unless
    /// something else of it is written.
    case closed(
        CollectionRequest, walk: Int64, reasons: Set<IncompletenessReason>,
        removesUnconfirmed: Bool)
    /// A request has changed the resource with a URL, so that no response for it is fresh.
    case expired(url: String)
    /// Rows with keys have lost related rows, which responses with them may contain, so that their
    /// collections are not confirmed.
    case diminished([Int64])
    /// Collections with IDs are removed; their rows stay.
    ///
    /// It is saved in the transaction that has read the IDs.
    case removed([Int64])

    /// The least time in seconds between two confirmations of a collection that are written for
    /// their time alone, so that frequent requests for an unmodified list do not write to the file.
    package static let confirmationInterval: TimeInterval = 3_600
}

/// A response to the request of a collection.
package struct CollectionResponse: Sendable {
    package let request: CollectionRequest
    /// The IDs in document order.
    package let members: [ManagedObjectID]
    /// The URL of the response.
    package let url: String
    package let fetchedAt: Date
    package var facts: CollectionFacts
    package var extent: Extent

    /// The part of the list that a response contains.
    package enum Extent: Sendable {
        /// The whole list, as far as the response tells, or its beginning.
        case whole(isComplete: Bool)
        /// A page of a walk.
        case page(index: Int, isFirst: Bool, PageFacts)
    }

    package init(
        _ request: CollectionRequest, _ members: [ManagedObjectID], url: String, fetchedAt: Date,
        facts: CollectionFacts, extent: Extent
    ) {
        self.request = request
        self.members = members
        self.url = url
        self.fetchedAt = fetchedAt
        self.facts = facts
        self.extent = extent
    }
}
