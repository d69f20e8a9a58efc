// SPDX-License-Identifier: Apache-2.0

/// The changes by which a file is migrated to a model.
///
/// `print(plan)` shows the changes of the model, what is lost, what prevents the migration, and the
/// statements.
public struct MigrationPlan: Sendable, CustomStringConvertible {
    /// The differences between the models, one line each, such as `rename attribute Airport.title to
    /// name`.
    public internal(set) var changes: [String] = []
    /// The statements in order, for a transaction without checks of foreign keys.
    public internal(set) var statements: [String] = []
    /// The data that is lost with the permission of a step, one line each.
    public internal(set) var losses: [String] = []
    /// The reasons for which the migration is refused, one line each; none if it can run.
    public internal(set) var problems: [String] = []

    /// The functions of steps, by the name that the statements call.
    var functions: [MigrationFunction] = []

    /// A Boolean value that indicates whether the file has the model already.
    public var isEmpty: Bool { changes.isEmpty && statements.isEmpty && problems.isEmpty }

    /// The plan as text, one line for each change, loss, problem and statement.
    public var description: String {
        if isEmpty { return "no changes" }
        return
            (changes + losses.map { "lose: \($0)" } + problems.map { "problem: \($0)" }
            + statements.map { "\($0);" }).joined(separator: "\n")
    }
}

/// A step in Swift, as a function of SQL whose texts are BLOBs.
struct MigrationFunction: Sendable {
    let name: String
    /// The attribute in the new model, such as `Airport.name`.
    let path: String
    let type: AttributeType
    let sources: [AttributeDescription]
    let compute: @Sendable (MigrationRow) throws -> StoredValue
}
