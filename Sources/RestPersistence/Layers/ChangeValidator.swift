// SPDX-License-Identifier: Apache-2.0

/// The rules of objects that their classes have, which rows do not tell.
protocol ObjectRules {
    /// Returns a Boolean value that indicates whether objects of a table have rules of their own.
    func areDeclared(for table: TableLayout) -> Bool

    /// Checks objects.
    ///
    /// - Parameters:
    ///   - keys: The keys of the objects.
    ///   - table: The table of their rows.
    ///   - state: The change of the rows: inserted, updated or deleted.
    /// - Returns: The reasons why objects cannot be saved, in the order of their keys.
    /// - Throws: ``PersistenceError`` of the database.
    func errors(
        of keys: Set<Int64>, _ table: TableLayout, _ state: RowState
    ) throws(PersistenceError) -> [ValidationError]
}

/// The checks of unsaved changes before they are saved.
struct ChangeValidator<Rules: ObjectRules> {
    private let layered: LayeredRows
    private let rules: Rules

    init(_ layered: LayeredRows, _ rules: Rules) {
        self.layered = layered
        self.rules = rules
    }

    /// Returns the reasons why a part of the unsaved changes cannot be saved.
    func errors(of changes: ChangeSet) throws(PersistenceError) -> [ValidationError] {
        var errors: [ValidationError] = []
        for table in layered.model.tables where !changes.tables[table.index].isEmpty {
            let changes = changes.tables[table.index]
            errors += valueErrors(changes, table, 0..<changes.count)
            errors += try relationshipErrors(changes, table, 0..<changes.count)
            if changes.deletedCount > 0 { errors += try deletionErrors(changes, table) }
            if rules.areDeclared(for: table) { errors += try ruleErrors(changes, table) }
        }
        return errors
    }

    /// Returns the reasons why new objects of a table cannot be saved.
    func insertionErrors(
        of keys: Set<Int64>, _ table: TableLayout
    ) throws(PersistenceError) -> [ValidationError] {
        let changes = layered.layers.top.tables[table.index]
        let slots = keys.compactMap { changes.slot(of: $0) }.sorted()
        var errors = valueErrors(changes, table, slots)
        errors += try relationshipErrors(changes, table, slots)
        if rules.areDeclared(for: table) { errors += try rules.errors(of: keys, table, .inserted) }
        return errors
    }

    private func ruleErrors(
        _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) -> [ValidationError] {
        var keys: [RowState: Set<Int64>] = [:]
        for slot in 0..<changes.count {
            keys[changes.states[slot], default: []].insert(changes.keys[slot])
        }
        var errors: [ValidationError] = []
        for state in [RowState.inserted, .updated, .deleted] {
            guard let keys = keys[state] else { continue }
            errors += try rules.errors(of: keys, table, state)
        }
        return errors
    }

    /// Returns the errors of required values, of values that cannot be stored, and of lengths.
    private func valueErrors(
        _ changes: TableChanges, _ table: TableLayout, _ slots: some Sequence<Int>
    ) -> [ValidationError] {
        var errors: [ValidationError] = []
        let limited = table.columns.indices.filter { table.columns[$0].maximumLength != nil }
        let restricted = table.columns.indices.filter { table.columns[$0].type.hasUnstorableValues }
        for slot in slots {
            let isNew = changes.states[slot] == .inserted
            guard isNew || changes.states[slot] == .updated else { continue }
            let layout = layered.model.layouts[changes.entities[slot]]
            if isNew {
                for column in layout.requiredColumns where changes.value(slot, column).isNull {
                    errors.append(missingValue(slot, column, changes))
                }
            } else {
                for column in changes.masks[slot].columns
                where table.columns[column].isRequired && changes.value(slot, column).isNull {
                    errors.append(missingValue(slot, column, changes))
                }
            }
            for column in restricted
            where changes.hasValue(slot, column)
                && table.columns[column].type.isUnstorable(changes.value(slot, column))
            {
                let reason =
                    table.columns[column].type.storableRange.map { "it is outside of \($0)" }
                    ?? "it is NaN or has a value that JSON cannot represent"
                errors.append(
                    ValidationError(
                        .unstorableValue, id(slot, changes), table.columns[column].name,
                        "cannot be stored: \(reason)"))
            }
            for column in limited where changes.hasValue(slot, column) {
                guard case .text(let text) = changes.value(slot, column),
                    let limit = table.columns[column].maximumLength,
                    text.utf8.count > limit, text.unicodeScalars.count > limit
                else { continue }
                errors.append(
                    ValidationError(
                        .textTooLong, id(slot, changes), table.columns[column].name,
                        "is longer than \(limit) characters"))
            }
        }
        return errors
    }

    /// Returns the errors of new objects without the destination of a required relationship that is
    /// stored in the destination.
    private func relationshipErrors(
        _ changes: TableChanges, _ table: TableLayout, _ slots: some Sequence<Int>
    ) throws(PersistenceError) -> [ValidationError] {
        var errors: [ValidationError] = []
        for layout in table.entities.map({ layered.model.layouts[$0] }) {
            let required = layout.relationships.filter(\.isRequiredInverse)
            if required.isEmpty { continue }
            let new = slots.filter {
                changes.states[$0] == .inserted && changes.entities[$0] == layout.index
            }
            for relationship in required where !new.isEmpty {
                let members = try layered.members(
                    of: new.map { changes.keys[$0] }, relationship, in: layout)
                for slot in new where members[changes.keys[slot]] == nil {
                    errors.append(
                        ValidationError(
                            .missingValue, id(slot, changes), relationship.name, "has no value"))
                }
            }
        }
        return errors
    }

    private func missingValue(
        _ slot: Int, _ column: Int, _ changes: TableChanges
    ) -> ValidationError {
        let id = id(slot, changes)
        return ValidationError(
            .missingValue, id, id.layout.columns[column].name, "has no value")
    }

    private func id(_ slot: Int, _ changes: TableChanges) -> ManagedObjectID {
        ManagedObjectID(
            key: changes.keys[slot], layout: layered.model.layouts[changes.entities[slot]],
            store: layered.database.identity)
    }

    /// Returns the errors of relationships that deny a deletion.
    private func deletionErrors(
        _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) -> [ValidationError] {
        var errors: [ValidationError] = []
        for entity in table.entities {
            let layout = layered.model.layouts[entity]
            let slots = (0..<changes.count).filter {
                changes.states[$0] == .deleted && changes.entities[$0] == entity
            }
            for relationship in layered.model.deletionRules[entity].denying where !slots.isEmpty {
                let members = try denyingMembers(
                    of: slots.map { changes.keys[$0] }, relationship, layout)
                for slot in slots where members[changes.keys[slot]] != nil {
                    errors.append(
                        ValidationError(deletionOf: id(slot, changes), deniedBy: relationship))
                }
            }
        }
        return errors
    }

    /// Returns the destinations of deleted objects that are not deleted as well.
    private func denyingMembers(
        of keys: [Int64], _ relationship: RelationshipLayout, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        guard case .column(let column) = relationship.storage else {
            return try layered.members(of: keys, relationship, in: layout)
        }
        let table = layered.model.layouts[relationship.destination].table.index
        var members: [Int64: [Int64]] = [:]
        for (key, stored) in try layered.storedRows(keys, layout.table) {
            var row = stored
            layered.layers.overlay(key, layout.table.index, on: &row)
            guard case .integer(let member) = row[column], !layered.layers.isDeleted(member, table)
            else { continue }
            members[key] = [member]
        }
        return members
    }
}
