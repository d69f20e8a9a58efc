// SPDX-License-Identifier: Apache-2.0

/// The migration of a store's file from the model for which it was written to that of the store.
///
/// The file describes its own model, so a migration needs no list of earlier models and can skip
/// versions. See <doc:Migration>.
public struct StoreMigration: Sendable {
    /// A Boolean value that indicates whether files of other models are migrated.
    public let isEnabled: Bool
    /// The steps for what cannot be derived from the models.
    public let steps: [MigrationStep]

    /// A file of another model is an error with code `modelMismatch`.
    public static let refused = StoreMigration(isEnabled: false, steps: [])
    /// A file of another model is migrated; changes are derived from the two models.
    public static let automatic = automatic([])

    /// Returns a migration whose steps complete the changes that are derived from the two models.
    ///
    /// A step without effect on a file, such as one for an earlier version, is ignored.
    public static func automatic(_ steps: [MigrationStep]) -> StoreMigration {
        StoreMigration(isEnabled: true, steps: steps)
    }
}

/// A part of a migration that the models do not determine.
public struct MigrationStep: Sendable {
    /// The computation of an attribute's value.
    enum Computation: Sendable {
        case sql(String)
        case function(@Sendable (MigrationRow) throws -> StoredValue)
    }

    enum Kind: Sendable {
        case value(entity: String, attribute: String, sources: [String], Computation)
        case discard(String)
        case prepare(String, sources: [String])
        case sql(String, sources: [String])
    }

    let kind: Kind

    /// Returns a step that computes an attribute from values of the row before the migration.
    ///
    /// - Parameters:
    ///   - attribute: The attribute in the new model. A name that the model does not have is a reason to
    ///     refuse the migration.
    ///   - entity: The entity in the new model that declares the attribute.
    ///   - sources: The attributes of the old entity that the expression reads. If the file lacks one of
    ///     them, the step has no effect.
    ///   - sql: An expression over the columns of the old row, such as `first || ' ' || last`. Its
    ///     value must have the column's type; see ``AttributeType``.
    /// - Returns: The step.
    public static func value(
        _ attribute: String, of entity: String, from sources: [String], sql: String
    ) -> MigrationStep {
        MigrationStep(
            kind: .value(entity: entity, attribute: attribute, sources: sources, .sql(sql)))
    }

    /// Returns a step that computes an attribute in Swift from values of the row before the migration.
    ///
    /// - Parameters:
    ///   - attribute: The attribute in the new model.
    ///   - entity: The entity in the new model that declares the attribute.
    ///   - sources: The attributes of the old entity that the closure reads. If the file lacks one of
    ///     them, the step has no effect.
    ///   - compute: A closure that returns the new value. An error that it throws ends the migration
    ///     without a change of the file.
    /// - Returns: The step.
    public static func value(
        _ attribute: String, of entity: String, from sources: [String],
        _ compute: @escaping @Sendable (MigrationRow) throws -> StoredValue
    ) -> MigrationStep {
        MigrationStep(
            kind: .value(
                entity: entity, attribute: attribute, sources: sources, .function(compute)))
    }

    /// Returns a step that permits the loss of data.
    ///
    /// - Parameter path: The name that the refusal of the migration gives: an entity of the file, such
    ///   as `Strip`, or a property, such as `Airport.size`.
    /// - Returns: The step.
    public static func discard(_ path: String) -> MigrationStep {
        MigrationStep(kind: .discard(path))
    }

    /// Returns a step that runs statements on the tables of the file before anything else, in the transaction
    /// of the migration.
    ///
    /// It is for what the rows of the file must have before they are checked and copied, such as values that
    /// are unique: `.prepare("DELETE FROM Boat WHERE …", from: ["Boat.name"])`. Foreign keys and their
    /// actions are off; a reference to a row that no longer exists ends the migration.
    ///
    /// - Parameters:
    ///   - statements: The statements, with the names of the file's model.
    ///   - sources: The entities and properties of the file that the statements read, such as `Boat` and
    ///     `Boat.name`. If the file lacks one of them, the step has no effect.
    /// - Returns: The step.
    public static func prepare(
        _ statements: String, from sources: [String]
    ) -> MigrationStep {
        MigrationStep(kind: .prepare(statements, sources: sources))
    }

    /// Returns a step that runs statements on the tables of the new model, in the transaction of the
    /// migration.
    ///
    /// Without sources, the statements run whenever a file is migrated to the model, whatever its earlier
    /// version is. With sources, they can read the tables of the file: one that is removed or written anew has
    /// the name `restkit_old_Person` until all steps have run. So an entity can be split.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - sources: The entities and properties of the file that the statements read, such as `Person` and
    ///     `Person.street`. If the file lacks one of them, the step has no effect; otherwise their removal is
    ///     no loss.
    /// - Returns: The step.
    public static func sql(_ statements: String, from sources: [String] = []) -> MigrationStep {
        MigrationStep(kind: .sql(statements, sources: sources))
    }
}

/// The values of a row before a migration.
public struct MigrationRow: Sendable {
    let names: [String]
    let values: [StoredValue]

    /// The value of an attribute that the step names as a source; null for another name.
    public subscript(name: String) -> StoredValue {
        names.firstIndex(of: name).map { values[$0] } ?? .null
    }
}
