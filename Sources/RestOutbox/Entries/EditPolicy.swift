// SPDX-License-Identifier: Apache-2.0

package import RestRows
package import RestTransport

/// The treatment of properties that the server has changed since they were edited.
///
/// All rules end in the one merge function, ``/RestRows/MergePolicy/merge(base:mine:theirs:as:combining:)``.
package struct EditPolicy: Sendable {
    /// A function that proposes values for an object of which both sides have changed a property.
    package typealias ObjectCombination = @Sendable (EditImages) -> ObjectImage

    /// The policy for properties about which no function decides.
    package var policy: MergePolicy
    /// A Boolean value that indicates whether the edits become another object if a property is in conflict.
    package var isFork = false
    /// The functions of properties, by name.
    package var properties: [String: PropertyCombination] = [:]
    /// The function of the whole object; `nil` for none.
    package var object: ObjectCombination?

    package init(_ policy: MergePolicy) { self.policy = policy }

    package static let contextWins = EditPolicy(.contextWins)
    package static let storeWins = EditPolicy(.storeWins)
    package static let fail = EditPolicy(.fail)

    package static var fork: EditPolicy {
        var policy = EditPolicy(.fail)
        policy.isFork = true
        return policy
    }

    /// A Boolean value that indicates whether an edit is kept, whatever the server has.
    package var keepsEdits: Bool {
        policy == .contextWins && !isFork && properties.isEmpty && object == nil
    }
}

/// The three images of an object that both sides have changed.
package struct EditImages: Sendable {
    /// The values that the server had when the object was edited.
    package let base: ObjectImage
    /// The values that the store shows.
    package let local: ObjectImage
    /// The values that the server has.
    package let server: ObjectImage
    /// The properties that both sides have changed, to different values.
    package let contested: Set<String>
}

/// The merge of an object's edits with an image of the server.
package struct EditMerge: Sendable, Hashable {
    package struct Property: Sendable, Hashable {
        package let base: StoredValue
        package let local: StoredValue
        package let server: StoredValue
        package let result: StoredValue
    }

    /// The entry whose values were merged.
    package let sequence: Int64
    /// The properties that both sides had changed, to different values.
    package let properties: [String: Property]
}

/// The edits of an object that continue as another one.
package struct EditFork: Sendable, Hashable {
    /// The object, which follows the server.
    package let object: EditedObject
    /// The values of the other object.
    package let image: ObjectImage
    package let principal: Principal?
}

/// The decisions of a step about one object that concern more than its edits.
struct EditReport: Sendable, Hashable {
    var merges: [EditMerge] = []
    /// The values of the edits that continue as another object; `nil` if they do not.
    var fork: ObjectImage?
    /// The principal of these edits.
    var forkPrincipal: Principal?

    var isEmpty: Bool { merges.isEmpty && fork == nil }
}
