// SPDX-License-Identifier: Apache-2.0

/// The references that the deletion of an object of an entity concerns, and the rules for them.
///
/// Contexts apply the rules to their unsaved changes, and the writer applies them to the rows that others have
/// saved meanwhile.
package struct DeletionRules: Sendable {
    /// A column of rows that refer to objects of the entity.
    package struct Column: Sendable {
        package let table: Int
        package let column: Int
        /// The relationship of the entity that the column stores and that deletes the rows, or denies the
        /// deletion; `nil` if the references become null.
        package let relationship: RelationshipLayout?
    }

    /// One end of a join table whose rows refer to objects of the entity.
    package struct Link: Sendable {
        package let link: Int
        package let isSource: Bool
        /// The relationship of the entity that the join table stores and that deletes the objects at the other
        /// end, or denies the deletion; `nil` if its rows are deleted.
        package let relationship: RelationshipLayout?
    }

    /// The relationships whose destinations are deleted.
    package let cascading: [RelationshipLayout]
    /// The relationships that deny the deletion while they have destinations.
    package let denying: [RelationshipLayout]
    /// The columns of all tables that refer to objects of the entity.
    package let columns: [Column]
    /// The ends of join tables that refer to objects of the entity.
    package let links: [Link]

    init(
        of layout: EntityLayout, tables: [TableLayout], layouts: [EntityLayout], links: [LinkLayout]
    ) {
        cascading = layout.relationships.filter { $0.deleteRule == .cascade }
        denying = layout.relationships.filter { $0.deleteRule == .deny }
        let ruled = cascading + denying
        let entities = layout.table.entities
        columns = tables.flatMap { table in
            table.references.compactMap { column in
                guard let destination = table.columns[column].destination,
                    entities.contains(destination)
                else { return nil }
                let relationship = ruled.first {
                    guard case .inverseColumn(column, _) = $0.storage else { return false }
                    return layouts[$0.destination].table === table
                }
                return Column(table: table.index, column: column, relationship: relationship)
            }
        }
        self.links = links.enumerated().flatMap { index, link in
            [(link.source, true), (link.target, false)].compactMap { end, isSource in
                guard entities.contains(end) else { return nil }
                let relationship = ruled.first {
                    guard case .link(index, let isForward) = $0.storage else { return false }
                    return isForward == isSource || $0.isSymmetric
                }
                return Link(link: index, isSource: isSource, relationship: relationship)
            }
        }
    }
}

extension DeletionRules.Column {
    /// A Boolean value that indicates whether a reference denies the deletion.
    package var isDenying: Bool { relationship?.deleteRule == .deny }
}

extension DeletionRules.Link {
    /// A Boolean value that indicates whether a row of the join table denies the deletion.
    package var isDenying: Bool { relationship?.deleteRule == .deny }
}
