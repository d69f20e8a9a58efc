// SPDX-License-Identifier: Apache-2.0

import GRDB

extension Migrator {
    /// Gives the pending references of a database the names of the new model, and converts their
    /// identities as those of the destinations.
    ///
    /// References of relationships, or by attributes, that the new model does not continue are
    /// removed with them.
    func migratePendingReferences(in database: Database, from old: ManagedObjectModel) throws {
        let table = PendingReferenceTable(database: database)
        guard try table.isPresent else { return }
        let planner = MigrationPlanner(from: old, to: model, steps: migration.steps)
        let rows = try table.rows()
        let continued = try rows.compactMap { try planner.continuation(of: $0, in: database) }
        guard continued != rows else { return }
        try table.delete(rows)
        try table.insert(continued)
    }
}

extension MigrationPlanner {
    /// The attribute by which references find a destination, in both models.
    private struct Identity {
        let source: EntityLayout
        let destination: EntityLayout
        let known: AttributeDescription
        let attribute: AttributeDescription
    }

    private func identity(_ entity: String, _ attribute: String) -> Identity? {
        guard let (source, destination) = continuation(of: entity) else { return nil }
        for candidate in destination.attributes(in: new) {
            guard let known = models.source(of: candidate, destination, in: source),
                known.name == attribute
            else { continue }
            return Identity(
                source: source, destination: destination, known: known, attribute: candidate)
        }
        return nil
    }

    /// Returns the converted value as an expression over an alias `o` with the old one; `nil` if it
    /// depends on other attributes.
    private func conversion(_ identity: Identity) -> String? {
        value(
            of: identity.attribute, identity.destination, identity.source,
            dependingOn: identity.known.name)
    }

    /// Adds the checks of pending references whose identities cannot be converted.
    mutating func checkPendingReferences(in database: Database) throws {
        let table = PendingReferenceTable(database: database)
        guard try table.isPresent else { return }
        for (entity, attribute) in try table.groups() {
            guard let identity = identity(entity, attribute) else { continue }
            let name = SQLIdentifier.quoted(attribute)
            if conversion(identity) == "o.\(name)" { continue }
            let value = conversion(identity) ?? "NULL"
            let path = identity.destination.path(of: identity.attribute.name, in: new)
            check(
                "SELECT count(*) FROM \(PendingReferenceTable.name) p "
                    + "WHERE p.destination = \(SQLIdentifier.literal(entity)) "
                    + "AND p.attribute = \(SQLIdentifier.literal(attribute)) "
                    + "AND (SELECT \(value) FROM (SELECT p.identity AS \(name)) o) IS NULL",
                path: path,
                "attribute \(path) changes, which loses references that wait for \(entity)")
        }
    }

    /// Returns a pending reference as one of the new model; `nil` if the model does not continue it.
    fileprivate func continuation(
        of row: PendingReferenceTable.Row, in database: Database
    ) throws -> PendingReferenceTable.Row? {
        guard let owner = continuation(of: row.entity),
            let identity = identity(row.destination, row.attribute)
        else { return nil }
        let relationship = owner.new.relationshipDescriptions(in: new).first {
            models.source(of: $0, owner.new, in: owner.old)?.name == row.relationship
        }
        let value = try converted(row.identity, identity, in: database)
        guard let relationship, !value.isNull else { return nil }
        return PendingReferenceTable.Row(
            owner: row.owner, entity: owner.new.name, relationship: relationship.name,
            destination: identity.destination.name, attribute: identity.attribute.name,
            identity: value, position: row.position)
    }

    private func converted(
        _ value: StoredValue, _ identity: Identity, in database: Database
    ) throws -> StoredValue {
        let name = SQLIdentifier.quoted(identity.known.name)
        guard let expression = conversion(identity) else { return .null }
        if expression == "o.\(name)" { return value }
        let query = RowQuery(
            sql: "SELECT \(expression) FROM (SELECT ? AS \(name)) o", arguments: [value])
        let statement = try query.prepare(in: database)
        return try statement.step() ? statement.value(0) : .null
    }

    private func continuation(of entity: String) -> (old: EntityLayout, new: EntityLayout)? {
        guard let index = old.index(of: entity), let found = models.destinations[index] else {
            return nil
        }
        return (old.layouts[index], new.layouts[found])
    }
}
