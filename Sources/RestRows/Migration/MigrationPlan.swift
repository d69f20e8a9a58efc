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
    public var statements: [String] { parts.map(\.sql) }
    /// The data that is lost with the permission of a step, one line each.
    public internal(set) var losses: [String] = []
    /// The reasons for which the migration is refused, one line each; none if it can run.
    public internal(set) var problems: [String] = []
    /// The steps without effect on the file, with the names that it lacks, one line each.
    public internal(set) var ignored: [String] = []

    /// A statement, or the statements of a step.
    struct Statement: Sendable {
        let sql: String
        /// The name of the step; `nil` for a statement that is derived from the models.
        var step: String?
    }

    var parts: [Statement] = []
    /// Queries for the values of steps in SQL, which show errors in them.
    var expressions: [Statement] = []

    mutating func add(_ sql: String) { parts.append(Statement(sql: sql)) }

    /// The functions of steps, by the name that the statements call.
    var functions: [MigrationFunction] = []

    /// A Boolean value that indicates whether the file has the model already.
    public var isEmpty: Bool { changes.isEmpty && parts.isEmpty && problems.isEmpty }

    /// The plan as text, one line for each change, loss, problem, ignored step and statement.
    public var description: String {
        if isEmpty { return "no changes" }
        return
            (changes + losses.map { "lose: \($0)" } + problems.map { "problem: \($0)" }
            + ignored.map { "ignore: \($0)" } + statements.map { "\($0);" }).joined(separator: "\n")
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
