// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The stored facts about the responses of a collection.
package struct CollectionFacts: Sendable {
    /// The version of the model and the mappings that imported the collection.
    package var version = ""
    /// The time until which the response may be reused without validation.
    package var freshUntil: Date?
    /// The value of the `Vary` field.
    package var vary = ""
    /// The digests of the request fields that `Vary` names.
    package var selection = ""
    /// The validators of the response; of no response for the pages of a list.
    package var validators = CollectionValidators()
    /// The digest of the document, for responses with an entity tag.
    package var documentDigest = ""
    /// The names of the entities of objects inside of the members.
    package var nestedEntities: Set<String> = []
    /// The greatest number of objects around one of these, with its member.
    package var nestingDepth = 0
    /// A Boolean value that indicates whether the response has the details of a single object, and no list.
    package var isSingle = false
    /// The walk over the pages.
    package var walk = CollectionWalk(id: 0)

    package init() {}

    /// Removes the facts by which the collection is reused without its rows.
    package mutating func removeValidators() {
        freshUntil = nil
        validators = CollectionValidators()
        documentDigest = ""
    }
}

/// The validators of a response, as bytes of header fields.
package struct CollectionValidators: Sendable, Hashable {
    package var entityTag: Data?
    package var lastModified: Data?

    package init(entityTag: Data? = nil, lastModified: Data? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// The state of a walk over the pages of a list.
package struct CollectionWalk: Sendable, Hashable {
    /// The identity of the walk.
    package let id: Int64
    /// The position of the next page as JSON; `nil` if there is none or it is not known.
    package var position: Data?
    /// The number of objects in the list, as the server sent it.
    package var total: Int?
    /// The reasons for which the walk does not prove that other objects are gone.
    package var reasons: Set<IncompletenessReason> = []
    /// The index of the page after the last one that the walk has seen.
    package internal(set) var nextPage = 0
    /// The time of the first page; `nil` if the walk has reached the end.
    package internal(set) var startedAt: Date?

    package init(id: Int64) { self.id = id }
}
