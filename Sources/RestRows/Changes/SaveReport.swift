// SPDX-License-Identifier: Apache-2.0

/// The numbers of rows that a save wrote.
///
/// The first four count objects. Rows of join tables, which hold many-to-many relationships and
/// to-many relationships without an inverse, are in ``relationships``. A relationship that is a column
/// is a value of its object.
public struct SaveReport: Sendable, Hashable {
    /// The changed rows of a join table.
    public struct RelationshipChanges: Sendable, Hashable {
        /// The name of the entity whose relationship names the table.
        ///
        /// If the inverse is to-many as well, it is the entity that sorts first.
        public let entity: String
        /// The name of the relationship.
        public let relationship: String
        /// The number of inserted rows.
        ///
        /// A relationship that is its own inverse has two rows for a pair of objects.
        public var inserted: Int
        /// The number of deleted rows, including those of deleted objects.
        public var deleted: Int
        /// The number of rows of an ordered relationship that have another position.
        public var moved: Int

        /// Creates the changes of a relationship.
        public init(
            entity: String, relationship: String, inserted: Int = 0, deleted: Int = 0,
            moved: Int = 0
        ) {
            self.entity = entity
            self.relationship = relationship
            self.inserted = inserted
            self.deleted = deleted
            self.moved = moved
        }
    }

    /// The number of inserted objects.
    public var inserted = 0
    /// The number of objects of which at least one value changed.
    public var updated = 0
    /// The number of deleted objects.
    public var deleted = 0
    /// The number of objects that already had all values and were not written.
    public var unchanged = 0
    /// The changes of relationships with a join table, in the order of the model.
    ///
    /// A relationship without changed rows is absent.
    public var relationships: [RelationshipChanges] = []
    /// The number of other contexts of the store that have unsaved changes, if the context that was saved
    /// had none; 0 for any other save.
    ///
    /// A program that changes objects of one context and saves another one finds that here.
    public var otherChangedContexts = 0

    /// Creates a report.
    public init(
        inserted: Int = 0, updated: Int = 0, deleted: Int = 0, unchanged: Int = 0,
        relationships: [RelationshipChanges] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.unchanged = unchanged
        self.relationships = relationships
    }

    /// Adds the numbers of a later save.
    mutating func add(_ later: SaveReport) {
        inserted += later.inserted
        updated += later.updated
        deleted += later.deleted
        unchanged += later.unchanged
        for changes in later.relationships {
            let index = relationships.firstIndex {
                $0.entity == changes.entity && $0.relationship == changes.relationship
            }
            guard let index else {
                relationships.append(changes)
                continue
            }
            relationships[index].inserted += changes.inserted
            relationships[index].deleted += changes.deleted
            relationships[index].moved += changes.moved
        }
    }

    /// A Boolean value that indicates whether the save wrote a row of any table.
    public var hasChanges: Bool {
        inserted + updated + deleted > 0 || !relationships.isEmpty
    }
}
