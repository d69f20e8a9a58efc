// SPDX-License-Identifier: Apache-2.0

import Foundation
package import GRDB

/// The edits in a file that were not sent yet, as those see them who delete or migrate rows.
package struct UnsentEdits {
    /// The table of objects with edits.
    package static let objects = "restkit_edit"
    /// The table of what the server had of edited properties.
    package static let bases = "restkit_base"
    /// The table of what is to be sent.
    package static let entries = "restkit_entry"
    /// The table of requests that were written.
    package static let attempts = "restkit_attempt"
    /// The table of the latest ends of entries.
    package static let outcomes = "restkit_outcome"
    /// The table of the latest merges of edits with values of the server.
    package static let merges = "restkit_merge"
    /// The table of the next number and of the lease of the sender, which has one row.
    package static let state = "restkit_outbox"

    /// Returns the directory of the files that entries of a database send, which are removed with it.
    package static func filesDirectory(of path: String) -> String { path + "-outbox" }

    private let database: Database

    package init(database: Database) { self.database = database }

    /// A Boolean value that indicates whether the file has the tables, because an outbox has used it.
    package var isPresent: Bool {
        get throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(Self.entries)'",
                in: database)
            return try statement.step()
        }
    }

    /// The number of entries, refused ones included.
    package var entryCount: Int {
        get throws(PersistenceError) {
            guard try isPresent else { return 0 }
            let statement = try PreparedStatement(
                "SELECT count(*) FROM \(Self.entries)", in: database)
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// Returns the number of entries of a principal, refused ones included; `nil` for those of nobody.
    package func entryCount(ofPrincipal principal: String?) throws(PersistenceError) -> Int {
        guard try isPresent else { return 0 }
        let statement = try PreparedStatement(
            "SELECT count(*) FROM \(Self.entries) WHERE principal IS ?1", in: database)
        try statement.bind(principal.map { .text($0) } ?? .null, at: 1)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Returns the keys of the rows with edits, and of those that they need: the destinations of required
    /// references, and of references whose destination would delete them.
    ///
    /// - Complexity: O(*n*) in the number of edited objects.
    package func protectedKeys(in model: ManagedObjectModel) throws(PersistenceError) -> Set<Int64>
    {
        guard try isPresent else { return [] }
        let objects = try PreparedStatement("SELECT key FROM \(Self.objects)", in: database)
        var keys: Set<Int64> = []
        while try objects.step() { keys.insert(objects.integer(0)) }
        var new = keys
        while !new.isEmpty {
            var found: Set<Int64> = []
            for table in model.tables {
                for column in table.references where table.isDependent(on: column, in: model) {
                    let name = table.columns[column].quoted
                    let statement = try PreparedStatement(
                        "SELECT \(name) FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) IN "
                            + "(SELECT value FROM json_each(?1)) AND \(name) IS NOT NULL",
                        in: database)
                    try statement.bind(RowQuery.list(new), at: 1)
                    while try statement.step() { found.insert(statement.integer(0)) }
                }
            }
            new = found.subtracting(keys)
            keys.formUnion(new)
        }
        return keys
    }
}

extension TableLayout {
    /// Returns a Boolean value that indicates whether rows do not outlive the destination of a reference.
    fileprivate func isDependent(on column: Int, in model: ManagedObjectModel) -> Bool {
        if columns[column].isRequired { return true }
        for entity in entities {
            for relationship in model.layouts[entity].relationships {
                guard case .column(column) = relationship.storage,
                    let inverse = relationship.inverse
                else { continue }
                let rule = model.layouts[relationship.destination].relationships[inverse].deleteRule
                if rule == .cascade { return true }
            }
        }
        return false
    }
}

extension StoreDatabase {
    /// Checks that no edits would be lost with the content.
    ///
    /// A damaged file has none that could be read.
    ///
    /// - Throws: ``PersistenceError`` with code `unsentEdits`.
    package func checkUnsentEdits() throws(PersistenceError) {
        try UnsentEdits.check((try? read { try UnsentEdits(database: $0).entryCount }) ?? 0)
    }
}

extension UnsentEdits {
    /// Checks that no entries would be lost.
    ///
    /// - Throws: ``PersistenceError`` with code `unsentEdits`, which names the ways out.
    package static func check(_ count: Int) throws(PersistenceError) {
        if count == 0 { return }
        throw PersistenceError(
            .unsentEdits,
            details: [
                "\(count) edits wait in the outbox, refused ones included: send them, export them by "
                    + "exportUnsentEdits(), or discard them explicitly"
            ])
    }

    /// Returns the number of entries in a file that no store has open; 0 for a file that cannot be read.
    package static func entryCount(at path: String) -> Int {
        guard FileManager.default.fileExists(atPath: path),
            let queue = try? DatabaseQueue(path: path)
        else { return 0 }
        defer { try? queue.close() }
        return (try? queue.read { try UnsentEdits(database: $0).entryCount }) ?? 0
    }
}
