// SPDX-License-Identifier: Apache-2.0

package import RestRows

/// The content of a request before it is written.
package struct RequestDraft: Sendable, Hashable {
    package let object: EditedObject
    package let kind: OutboxEntry.Kind
    /// The number of the entry.
    package let sequence: Int64
    /// The identity of the object on the server; `nil` for a creation.
    package let identity: StoredValue?
    /// The version that the request is based on.
    package let version: StoredValue?
    /// The values; a reference is the identity of its destination on the server.
    package let values: ObjectImage
    /// The values with the rows of references in place of their identities.
    package let rows: ObjectImage
    /// The member that the request adds or removes; `nil` for a request with values.
    package let member: MemberChange?

    /// The change of a relationship whose members have requests of their own.
    package struct MemberChange: Sendable, Hashable {
        /// The name of the relationship.
        package let property: String
        /// The primary key of the member's row.
        package let key: Int64
        package let isAdded: Bool

        package init(property: String, key: Int64, isAdded: Bool) {
            self.property = property
            self.key = key
            self.isAdded = isAdded
        }
    }
}
