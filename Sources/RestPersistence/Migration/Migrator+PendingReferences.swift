// SPDX-License-Identifier: Apache-2.0

import GRDB

extension Migrator {
    /// Gives the pending references of a database the names of the new model.
    ///
    /// References of relationships, or by attributes, that the new model does not continue are
    /// removed with them.
    func migratePendingReferences(
        in database: Database, from old: ManagedObjectModel
    ) throws(PersistenceError) {
        let table = PendingReferenceTable(database: database)
        guard try table.isPresent else { return }
        let models = ModelCorrespondence(old: old, new: model)
        let rows = try table.rows()
        let continued = rows.compactMap { models.continuation(of: $0) }
        guard continued != rows else { return }
        try table.delete(rows)
        try table.insert(continued)
    }
}

extension ModelCorrespondence {
    /// Returns a pending reference with the names of the new model.
    fileprivate func continuation(of row: PendingReferenceTable.Row) -> PendingReferenceTable.Row? {
        guard let owner = continuation(of: row.entity),
            let destination = continuation(of: row.destination)
        else { return nil }
        let relationship = owner.new.relationshipDescriptions(in: new).first {
            source(of: $0, owner.new, in: owner.old)?.name == row.relationship
        }
        let attribute = destination.new.attributes(in: new).first {
            source(of: $0, destination.new, in: destination.old)?.name == row.attribute
        }
        guard let relationship, let attribute else { return nil }
        return PendingReferenceTable.Row(
            owner: row.owner, entity: owner.new.name, relationship: relationship.name,
            destination: destination.new.name, attribute: attribute.name, identity: row.identity,
            position: row.position)
    }

    private func continuation(of entity: String) -> (old: EntityLayout, new: EntityLayout)? {
        guard let index = old.index(of: entity), let found = destinations[index] else { return nil }
        return (old.layouts[index], new.layouts[found])
    }
}
