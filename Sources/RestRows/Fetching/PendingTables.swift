// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// The unsaved changes that the fetches of a context see.
package protocol PendingChanges {
    /// A number that grows with each change.
    var changesVersion: Int { get }
    /// Returns the changes of a table, with those of the layers below.
    func effectiveChanges(of table: Int) -> TableChanges
    /// Returns the changes of a join table, with those of the layers below.
    func effectiveLinks(of link: Int) -> LinkChanges
    /// Returns the keys of the rows whose changes differ from those at a version; `nil` if any may.
    func changedKeys(of table: Int, since version: Int) -> Set<Int64>?
    /// Returns the pairs whose changes differ from those at a version; `nil` if any may.
    func changedPairs(of link: Int, since version: Int) -> Set<LinkPair>?
}

/// The unsaved changes of a context as temporary tables of a connection, which queries read together
/// with the rows of the file.
///
/// For each table with changes there are three temporary ones: the keys of changed rows, the keys of
/// deleted rows, and the changed rows as a save would write them, with the indexes of the table. For
/// each join table there are two. They are brought up to date before a query, in its transaction, by
/// the keys that changed since. Time and memory are linear in the number of changes.
package struct PendingTables {
    private let model: ManagedObjectModel
    /// The version of the changes in the temporary tables, by table and by join table.
    private var tables: [Int: Int] = [:]
    private var links: [Int: Int] = [:]
    /// The version of the file from which changed rows have their other columns.
    private var dataVersion: Int64?

    package init(model: ManagedObjectModel) { self.model = model }

    /// Brings the temporary tables of a scope up to date, in the transaction of the query.
    package mutating func update(
        _ scope: PendingScope, _ changes: some PendingChanges, in database: Database
    ) throws(PersistenceError) {
        if try isFileChanged(database) {
            for index in tables.keys.sorted() {
                let rows = changes.effectiveChanges(of: index)
                let updated = rows.keys.indices.filter { rows.states[$0] == .updated }
                try replace(
                    Set(updated.map { rows.keys[$0] }), of: model.tables[index], rows, in: database)
            }
        }
        for index in scope.tables.sorted() {
            try update(model.tables[index], changes, in: database)
        }
        for index in scope.links.sorted() {
            try update(model.links[index], index, changes, in: database)
        }
    }

    /// Returns a Boolean value that indicates whether another connection has changed the file.
    private mutating func isFileChanged(_ database: Database) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement("PRAGMA data_version", in: database)
        guard try statement.step() else { return true }
        let version = statement.integer(0)
        defer { dataVersion = version }
        return version != dataVersion
    }

    // MARK: Rows

    private mutating func update(
        _ table: TableLayout, _ changes: some PendingChanges, in database: Database
    ) throws(PersistenceError) {
        let version = changes.changesVersion
        let known = tables[table.index]
        if known == version { return }
        let rows = changes.effectiveChanges(of: table.index)
        if let known {
            if let keys = changes.changedKeys(of: table.index, since: known) {
                try replace(keys, of: table, rows, in: database)
            } else {
                for name in names(of: table) { try run("DELETE FROM \(name)", in: database) }
                try search(table)?.removeRows(in: .temporary, database)
                try insert(Set(rows.keys), of: table, rows, in: database)
            }
        } else {
            try create(table, in: database)
            try insert(Set(rows.keys), of: table, rows, in: database)
            // An index of rows that are there already is sorted once.
            try createIndexes(table.name, PendingName.pending(table.name), in: database)
        }
        tables[table.index] = version
    }

    private func names(of table: TableLayout) -> [String] {
        [PendingName.changed(table), PendingName.deleted(table), PendingName.rows(table)]
    }

    private func create(_ table: TableLayout, in database: Database) throws(PersistenceError) {
        let key = "\(EntityLayout.keyColumn) INTEGER PRIMARY KEY"
        try run("CREATE TABLE \(PendingName.changed(table)) (\(key)) STRICT", in: database)
        try run("CREATE TABLE \(PendingName.deleted(table)) (\(key)) STRICT", in: database)
        // The types and collations are those of the table, so that values compare equally.
        let columns = [key] + table.columns.map { "\($0.quoted) \($0.type.columnType)" }
        try run(
            "CREATE TABLE \(PendingName.rows(table)) (\(columns.joined(separator: ", "))) STRICT",
            in: database)
        try search(table)?.create(in: .temporary, database)
    }

    /// The full-text index of a table; `nil` if it has no searchable attributes.
    private func search(_ table: TableLayout) -> SearchTable? {
        model.searchTables.first { $0.table === table }
    }

    /// Creates the indexes of a table for the temporary table with its changed rows.
    private func createIndexes(
        _ name: String, _ pending: String, in database: Database
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            """
            SELECT i.name, c.name FROM pragma_index_list(?1, 'main') AS i, \
            pragma_index_info(i.name, 'main') AS c WHERE i.origin = 'c' AND i.partial = 0 \
            ORDER BY i.name, c.seqno
            """, in: database)
        try statement.bind(.text(name), at: 1)
        var indexes: [(name: String, columns: [String])] = []
        while try statement.step() {
            guard case .text(let index) = statement.value(0) else { continue }
            // An expression has no column.
            guard case .text(let column) = statement.value(1) else { continue }
            if indexes.last?.name != index { indexes.append((index, [])) }
            indexes[indexes.count - 1].columns.append(SQLIdentifier.quoted(column))
        }
        for index in indexes {
            let name = "temp.\(SQLIdentifier.quoted(PendingName.pending(index.name)))"
            try run(
                "CREATE INDEX \(name) ON \(SQLIdentifier.quoted(pending)) "
                    + "(\(index.columns.joined(separator: ", ")))", in: database)
        }
    }

    private func replace(
        _ keys: Set<Int64>, of table: TableLayout, _ rows: TableChanges, in database: Database
    ) throws(PersistenceError) {
        if keys.isEmpty { return }
        let list = RowQuery.list(keys)
        for name in names(of: table) {
            try run(
                "DELETE FROM \(name) WHERE \(EntityLayout.keyColumn) IN "
                    + "(SELECT value FROM json_each(?1))", [list], in: database)
        }
        try search(table)?.removeRows(list, in: .temporary, database)
        try insert(keys, of: table, rows, in: database)
    }

    /// The start of insertions, which leave what they have written when they fail.
    ///
    /// Otherwise, SQLite notes the former content of pages for each statement: in a file, once a list of keys was so
    /// long that memory was not used any more. A transaction that fails is rolled back.
    private static let insertion = "INSERT OR FAIL INTO"

    private func insert(
        _ keys: Set<Int64>, of table: TableLayout, _ rows: TableChanges, in database: Database
    ) throws(PersistenceError) {
        var changed: [Int64] = []
        var deleted: [Int64] = []
        var inserted: [Int] = []
        var updated: [ColumnMask: [Int]] = [:]
        for key in keys.sorted() {
            guard let slot = rows.slot(of: key) else { continue }
            changed.append(key)
            switch rows.states[slot] {
            case .deleted, .dropped: deleted.append(key)
            case .inserted: inserted.append(slot)
            case .updated: updated[rows.masks[slot], default: []].append(slot)
            }
        }
        for (name, keys) in [
            (PendingName.changed(table), changed), (PendingName.deleted(table), deleted),
        ] where !keys.isEmpty {
            try run(
                "\(Self.insertion) \(name) SELECT value FROM json_each(?1)", [RowQuery.list(keys)],
                in: database)
        }
        if !inserted.isEmpty {
            try insert(
                inserted, Array(table.columns.indices), of: rows, into: table, isNew: true,
                in: database)
        }
        for (mask, slots) in updated {
            try insert(slots, mask.columns, of: rows, into: table, isNew: false, in: database)
        }
        try search(table)?.addRows(RowQuery.list(changed), in: .temporary, database)
    }

    /// Inserts rows by one statement, which reads the given columns of them as a table.
    ///
    /// The other columns of rows that are not new are those of the file. A row with more columns than a batch
    /// passes is inserted by a statement of its own.
    private func insert(
        _ slots: [Int], _ columns: [Int], of rows: TableChanges, into table: TableLayout,
        isNew: Bool, in database: Database
    ) throws(PersistenceError) {
        let isBatch = columns.count <= BatchTable.maximumPassedCount
        var values = table.columns.map { "t.\($0.quoted)" }
        for (index, column) in columns.enumerated() {
            values[column] = isBatch ? "b.value\(index)" : "?\(index + 2)"
        }
        let key = isBatch ? "b.key" : "?1"
        var sources = isBatch ? ["restkit_batch(?1) AS b"] : []
        if !isNew { sources.append("main.\(table.quoted) AS t") }
        var sql =
            "\(Self.insertion) \(PendingName.rows(table)) "
            + "SELECT \(([key] + values).joined(separator: ", "))"
        if !sources.isEmpty { sql += " FROM \(sources.joined(separator: " CROSS JOIN "))" }
        if !isNew { sql += " WHERE t.\(EntityLayout.keyColumn) = \(key)" }
        let statement = try PreparedStatement(sql, in: database)
        if isBatch {
            var passed: [StoredValue] = []
            passed.reserveCapacity(slots.count * columns.count)
            for slot in slots { for column in columns { passed.append(rows.value(slot, column)) } }
            let batch = BatchTable(
                inserting: Array(slots.indices), keys: slots.map { rows.keys[$0] }, passed,
                width: columns.count)
            try statement.bind(batch, at: 1)
            try statement.run()
            return withExtendedLifetime(batch) {}
        }
        for slot in slots {
            try statement.bind(.integer(rows.keys[slot]), at: 1)
            for (index, column) in columns.enumerated() {
                try statement.bind(rows.value(slot, column), at: index + 2)
            }
            try statement.run()
        }
    }

    // MARK: Join tables

    private mutating func update(
        _ link: LinkLayout, _ index: Int, _ changes: some PendingChanges, in database: Database
    ) throws(PersistenceError) {
        let version = changes.changesVersion
        let known = links[index]
        if known == version { return }
        let pairs = changes.effectiveLinks(of: index).pairs
        let names = [PendingName.changed(link), PendingName.rows(link)]
        var changed = Set(pairs.keys)
        if let known {
            if let keys = changes.changedPairs(of: index, since: known) {
                changed = keys
                for name in names {
                    try run(
                        changed, "DELETE FROM \(name) WHERE source = ?1 AND target = ?2",
                        in: database)
                }
            } else {
                for name in names { try run("DELETE FROM \(name)", in: database) }
            }
        } else {
            try create(link, in: database)
        }
        // A move is no difference for conditions, which compare no positions.
        changed = changed.filter { pairs[$0]?.isMove == false }
        try run(
            changed, "INSERT INTO \(PendingName.changed(link)) VALUES (?1, ?2)", in: database)
        try run(
            changed.filter { pairs[$0]?.isMember == true },
            "INSERT INTO \(PendingName.rows(link)) VALUES (?1, ?2)", in: database)
        links[index] = version
    }

    private func create(_ link: LinkLayout, in database: Database) throws(PersistenceError) {
        for name in [PendingName.changed(link), PendingName.rows(link)] {
            try run(
                "CREATE TABLE \(name) (source INTEGER NOT NULL, target INTEGER NOT NULL, "
                    + "PRIMARY KEY (source, target)) STRICT, WITHOUT ROWID", in: database)
        }
        try createIndexes(link.table, PendingName.pending(link.table), in: database)
    }

    // MARK: Statements

    private func run(
        _ pairs: Set<LinkPair>, _ sql: String, in database: Database
    ) throws(PersistenceError) {
        if pairs.isEmpty { return }
        let statement = try PreparedStatement(sql, in: database)
        for pair in pairs {
            try statement.bind(.integer(pair.source), at: 1)
            try statement.bind(.integer(pair.target), at: 2)
            _ = try statement.run()
        }
    }

    private func run(
        _ sql: String, _ arguments: [StoredValue] = [], in database: Database
    ) throws(PersistenceError) {
        _ = try RowQuery(sql: sql, arguments: arguments).prepare(in: database).run()
    }

    /// Drops the temporary tables, whose content is unknown after an error.
    package mutating func removeAll(in database: Database) throws(PersistenceError) {
        self = PendingTables(model: model)
        for name in try names(in: database) {
            try run("DROP TABLE temp.\(SQLIdentifier.quoted(name))", in: database)
        }
    }

    private func names(in database: Database) throws(PersistenceError) -> [String] {
        let statement = try PreparedStatement(
            "SELECT name FROM pragma_table_list WHERE schema = 'temp' "
                + "AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite%'", in: database)
        var names: [String] = []
        while try statement.step() {
            if case .text(let name) = statement.value(0) { names.append(name) }
        }
        return names
    }
}
