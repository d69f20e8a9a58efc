// SPDX-License-Identifier: Apache-2.0

package import RestRows

/// The row of an object whose edits are sent.
package struct EditedObject: Sendable, Hashable {
    /// The name of the entity.
    package let entity: String
    /// The primary key of the row.
    package let key: Int64

    package init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }
}

/// The values of an object's synchronized properties, by name; a reference is the key of its destination.
package typealias ObjectImage = [String: StoredValue]
