// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A page of a list, as the last walk over the pages stored it.
package struct StoredPage: Sendable {
    /// The URL of the response.
    package let url: String
    package var validators: CollectionValidators
    /// The value of the `Vary` field.
    package let vary: String
    /// The digests of the request fields that `Vary` names.
    package let selection: String
    package let facts: PageFacts
    /// The IDs of the objects whose rows exist, in document order, each once.
    package let members: [ManagedObjectID]
    /// A Boolean value that indicates whether the rows of all objects exist.
    package let isComplete: Bool
}

/// The facts about a page that a response without body does not repeat.
package struct PageFacts: Sendable {
    /// The digest of the header fields that the pagination reads, which validators do not cover; `nil`
    /// if the response had none of them.
    package let fields: String?
    /// The facts that the request of the next page needs, as JSON.
    package let state: Data?

    package init(fields: String?, state: Data?) {
        self.fields = fields
        self.state = state
    }
}
