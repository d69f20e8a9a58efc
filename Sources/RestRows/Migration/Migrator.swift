// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// Plans and runs the migration of a database to a model.
struct Migrator {
    let model: ManagedObjectModel
    let migration: StoreMigration

    /// Returns a Boolean value that indicates whether a database has another model.
    func isNeeded(in database: Database) throws -> Bool {
        !SchemaDescription.differences(
            file: try storedModel(of: database).facts, model: StoredModel(model).facts
        ).isEmpty
    }

    /// Returns a Boolean value that indicates whether the plan depends on steps that change the file first.
    func hasPreparations(for database: Database) throws -> Bool {
        guard try isNeeded(in: database) else { return false }
        return try !preparations(for: database).isEmpty
    }

    private func preparations(for database: Database) throws -> [MigrationPlan.Statement] {
        MigrationPlanner.preparations(
            of: migration.steps, in: try storedModel(of: database).model())
    }

    /// Returns the plan of a migration after running its preparations, which the caller rolls back.
    func preparedPlan(of database: Database) throws -> MigrationPlan {
        let preparations = try preparations(for: database)
        try run(preparations, in: database)
        var plan = try plan(of: database)
        plan.parts = preparations + plan.parts
        return plan
    }

    /// Returns the plan of a migration, with the rows that it concerns counted.
    ///
    /// - Throws: ``PersistenceError`` if the database is not that of a store, if its tables are not
    ///   those of its own model, or with code `migrationFailed` if a step is no SQL for its tables.
    func plan(of database: Database) throws -> MigrationPlan {
        let old = try storedModel(of: database).model()
        let changes = try SchemaInspection.differences(of: database, old.schema)
        guard changes.isEmpty else { throw PersistenceError(.unexpectedSchema, details: changes) }
        var planner = MigrationPlanner(from: old, to: model, steps: migration.steps)
        try planner.checkPendingReferences(in: database)
        let failure = MigrationFailure()
        add(planner.plan.functions, to: database, failure)
        defer { remove(planner.plan.functions, from: database) }
        for expression in planner.plan.expressions {
            try naming(expression.step) { _ = try database.makeStatement(sql: expression.sql) }
        }
        var counts: [String: (path: String?, count: Int)] = [:]
        var order: [String] = []
        for check in planner.checks {
            let count = try failure.rethrowing {
                try naming("counting the rows of which \(check.text)") {
                    try Int.fetchOne(database, sql: check.sql) ?? 0
                }
            }
            if count == 0 { continue }
            if counts[check.text] == nil { order.append(check.text) }
            counts[check.text, default: (check.path, 0)].count += count
        }
        for text in order {
            guard let (path, count) = counts[text] else { continue }
            let isPermitted = path.map(planner.discarded.contains) ?? false
            if isPermitted {
                planner.plan.losses.append("\(text) (\(count))")
            } else {
                planner.plan.problems.append("\(text) (\(count))")
            }
        }
        return planner.plan
    }

    /// Runs a migration in a transaction without checks of foreign keys.
    ///
    /// - Throws: ``PersistenceError`` with code `migrationRefused` and all problems in its details, or
    ///   `migrationFailed`. The caller then rolls the transaction back.
    func run(in database: Database) throws {
        // Another process may have been first.
        guard try isNeeded(in: database) else { return }
        try run(preparations(for: database), in: database)
        let plan = try plan(of: database)
        guard plan.problems.isEmpty else {
            throw PersistenceError(
                .migrationRefused,
                details: plan.problems + plan.ignored.map { "ignored: \($0)" })
        }
        let additional = try additionalIndexes(of: database)
        // Derived data, which the opening of the file creates anew.
        try SearchIndex(model: model, database: database).removeAll()
        let failure = MigrationFailure()
        add(plan.functions, to: database, failure)
        defer { remove(plan.functions, from: database) }
        // Before the rows lose the values of edits.
        try migrateUnsentEdits(in: database, from: storedModel(of: database).model())
        try failure.rethrowing { try run(plan.parts, in: database) }
        try failure.rethrowing {
            try migratePendingReferences(in: database, from: storedModel(of: database).model())
        }
        for sql in additional {
            // An index on a column that no longer exists is lost with it.
            try? database.execute(sql: sql)
        }
        try database.execute(
            sql: "UPDATE restkit_store SET model = ?", arguments: [try StoredModel(model).json()])
        try checkReferences(of: database)
        _ = try StoreValidation(model: model).identity(of: database)
    }

    private func run(_ statements: [MigrationPlan.Statement], in database: Database) throws {
        for (index, statement) in statements.enumerated() {
            try naming(statement.step ?? "statement \(index + 1) of the plan") {
                try database.execute(sql: statement.sql)
            }
        }
    }

    /// Calls a closure, and throws its error with the name of what failed and the message of SQLite.
    ///
    /// The message is about the SQL of the plan and its steps, which have no values of other places.
    private func naming<Result>(_ name: String?, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            var details = ["\(name ?? "a statement") failed"]
            if let message = error.message { details[0] += ": \(message)" }
            throw PersistenceError(
                .migrationFailed,
                details: details + ["SQLite result code \(error.extendedResultCode.rawValue)"],
                underlying: error)
        }
    }

    private func storedModel(of database: Database) throws -> StoredModel {
        try StoreValidation.checkApplication(of: database)
        try StoreValidation.checkFormat(of: database)
        let json = try String.fetchOne(database, sql: "SELECT model FROM restkit_store")
        return try StoredModel(json: json ?? "")
    }

    /// Returns the statements that create indexes which are in no model, such as those of users.
    private func additionalIndexes(of database: Database) throws -> [String] {
        let old = Set(try storedModel(of: database).model().schema.objects.map(\.name))
        return try Row.fetchAll(
            database,
            sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ).compactMap { old.contains($0["name"]) ? nil : $0["sql"] }
    }

    private func checkReferences(of database: Database) throws {
        let rows = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
        guard rows.isEmpty else {
            throw PersistenceError(
                .migrationFailed,
                details: rows.prefix(20).map { row in
                    "row \(row[1] as Int64? ?? 0) of \(row[0] as String) refers to a missing row "
                        + "of \(row[2] as String)"
                })
        }
    }

    // MARK: Functions

    private func add(
        _ functions: [MigrationFunction], to database: Database, _ failure: MigrationFailure
    ) {
        for function in functions { database.add(function: Self.function(function, failure)) }
    }

    private func remove(_ functions: [MigrationFunction], from database: Database) {
        for function in functions {
            database.remove(function: Self.function(function, MigrationFailure()))
        }
    }

    private static func function(
        _ function: MigrationFunction, _ failure: MigrationFailure
    ) -> DatabaseFunction {
        DatabaseFunction(function.name, argumentCount: function.sources.count, pure: true) {
            arguments in
            let values = zip(function.sources, arguments).map { source, argument in
                let value = StoredValue(argument)
                return source.type.isText ? value.decodedText : value
            }
            let row = MigrationRow(names: function.sources.map(\.name), values: values)
            do {
                let value = try function.compute(row)
                guard function.type.accepts(value) else {
                    throw PersistenceError(
                        .migrationFailed,
                        details: [
                            "the step for \(function.path) has a value that is not of type "
                                + "\(function.type)"
                        ])
                }
                return value.result
            } catch {
                failure.set(error, function.path)
                throw error
            }
        }
    }
}

/// The first error of a step, which SQLite would reduce to its text.
final class MigrationFailure: Sendable {
    private let error = Mutex<PersistenceError?>(nil)

    func set(_ cause: any Error, _ path: String) {
        let failure =
            cause as? PersistenceError
            ?? PersistenceError(
                .migrationFailed, details: ["the step for \(path) failed"], underlying: cause)
        error.withLock { $0 = $0 ?? failure }
    }

    /// Calls a closure, and throws the error of a step in place of that of the statement.
    func rethrowing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw self.error.withLock(\.self) ?? error
        }
    }
}

extension StoredValue {
    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .double(value)
            case .string(let value): .text(value)
            case .blob(let value): .data(value)
            }
    }

    /// The text of a BLOB that contains UTF-8; any other value as it is.
    ///
    /// Functions receive texts as BLOBs, because they receive a text only up to its first NUL.
    var decodedText: StoredValue {
        guard case .data(let bytes) = self else { return self }
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    /// The value as a result of a function, with a text as BLOB.
    fileprivate var result: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .text(let value): Data(value.utf8).databaseValue
        case .data(let value): value.databaseValue
        }
    }
}
