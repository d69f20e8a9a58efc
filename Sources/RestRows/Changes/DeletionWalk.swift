// SPDX-License-Identifier: Apache-2.0

/// The deletion of rows by the rules of their relationships, level by level, because chains of rows can be long.
///
/// Contexts delete rows of their unsaved changes in this way, and the writer those that others have saved
/// meanwhile.
package enum DeletionWalk {
    /// A row that a deleted one refers to, or that refers to it, by a relationship with a delete rule.
    package struct Destination {
        package let key: Int64
        /// The entity of the row; `nil` if it is only known to inherit from that of the relationship.
        package let entity: Int?
        /// The deleted row.
        package let owner: TableCommit.Row
        /// The relationship of the deleted row.
        package let relationship: RelationshipLayout

        package init(
            key: Int64, entity: Int?, owner: TableCommit.Row, relationship: RelationshipLayout
        ) {
            self.key = key
            self.entity = entity
            self.owner = owner
            self.relationship = relationship
        }
    }

    /// Deletes rows, and what the rule ``DeleteRule/cascade`` deletes with them.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - delete: Deletes rows, and returns the destinations of relationships with a rule.
    ///   - row: Returns the row of a destination to delete; `nil` if it is deleted already, or stays.
    /// - Returns: The destinations that deny the deletion of their owners, unless they are deleted as well.
    /// - Throws: The error of a closure.
    package static func delete(
        _ rows: [TableCommit.Row],
        by delete: (_ level: [TableCommit.Row]) throws(PersistenceError) -> [Destination],
        followedBy row: (Destination) throws(PersistenceError) -> TableCommit.Row?
    ) throws(PersistenceError) -> [Destination] {
        var level = rows
        var denying: [Destination] = []
        while !level.isEmpty {
            let destinations = try delete(level)
            level = []
            for destination in destinations {
                if destination.relationship.deleteRule == .deny {
                    denying.append(destination)
                } else if let row = try row(destination) {
                    level.append(row)
                }
            }
        }
        return denying
    }
}
