// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// The table of pending references in a file, which is created with the first of them.
package struct PendingReferenceTable {
    static let name = "restkit_pending"

    /// A stored reference, with names in place of indices.
    package struct Row: Hashable {
        package let owner: Int64
        let entity: String
        package let relationship: String
        package let destination: String
        package let attribute: String
        package let identity: StoredValue
        package let position: Int64?
    }

    package let database: Database

    package init(database: Database) {
        self.database = database
    }

    /// Returns a Boolean value that indicates whether the file has the table.
    package var isPresent: Bool {
        get throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(Self.name)'",
                in: database)
            return try statement.step()
        }
    }

    /// Returns a Boolean value that indicates whether there is no reference.
    package var isEmpty: Bool {
        get throws(PersistenceError) {
            guard try isPresent else { return true }
            let statement = try PreparedStatement("SELECT 1 FROM \(Self.name)", in: database)
            return try !statement.step()
        }
    }

    func create() throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.name) (owner INTEGER NOT NULL, \
                entity TEXT NOT NULL, relationship TEXT NOT NULL, destination TEXT NOT NULL, \
                attribute TEXT NOT NULL, identity ANY NOT NULL, position INTEGER, \
                PRIMARY KEY (owner, relationship, attribute, identity)) STRICT, WITHOUT ROWID; \
                CREATE INDEX IF NOT EXISTS restkit_index_pending \
                ON \(Self.name) (destination, attribute, identity)
                """)
    }

    private static let columns = [
        "owner", "entity", "relationship", "destination", "attribute", "identity", "position",
    ]
    private static let columnList = columns.joined(separator: ", ")

    /// Returns the references of objects.
    package func rows(ofOwners keys: [Int64]) throws(PersistenceError) -> [Row] {
        let statement = try PreparedStatement(
            "SELECT \(Self.columnList) FROM \(Self.name) "
                + "WHERE owner IN (SELECT value FROM json_each(?))", in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        return try rows(statement)
    }

    /// Returns the references of the objects of an entity with a name.
    package func rows(ofEntity name: String) throws(PersistenceError) -> [Row] {
        let statement = try PreparedStatement(
            "SELECT \(Self.columnList) FROM \(Self.name) WHERE entity = ?", in: database)
        try statement.bind(.text(name), at: 1)
        return try rows(statement)
    }

    /// Returns the references to objects of an entity by the values of an attribute, in one statement.
    package func rows(
        to destination: String, _ attribute: String, identities: some Sequence<StoredValue>
    ) throws(PersistenceError) -> [Row] {
        let identities = BatchTable(identities: Array(identities))
        let columns = Self.columns.map { "p.\($0)" }.joined(separator: ", ")
        let statement = try PreparedStatement(
            "SELECT \(columns) FROM restkit_batch(?1) AS b CROSS JOIN \(Self.name) AS p "
                + "ON p.destination = ?2 AND p.attribute = ?3 AND p.identity = b.value0",
            in: database)
        try statement.bind(identities, at: 1)
        try statement.bind(.text(destination), at: 2)
        try statement.bind(.text(attribute), at: 3)
        let rows = try rows(statement)
        withExtendedLifetime(identities) {}
        return rows
    }

    /// Returns the keys of all objects that have references.
    func owners() throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT DISTINCT owner FROM \(Self.name)", in: database)
        var owners: [Int64] = []
        while try statement.step() { owners.append(statement.integer(0)) }
        return owners
    }

    /// Returns all references.
    func rows() throws(PersistenceError) -> [Row] {
        try rows(PreparedStatement("SELECT \(Self.columnList) FROM \(Self.name)", in: database))
    }

    private func rows(
        _ statement: borrowing PreparedStatement
    ) throws(PersistenceError) -> [Row] {
        var rows: [Row] = []
        while try statement.step() { rows.append(Self.row(statement)) }
        return rows
    }

    /// Returns the row at which a statement is, whose first columns are those of the table.
    private static func row(_ statement: borrowing PreparedStatement) -> Row {
        var position: Int64?
        if case .integer(let value) = statement.value(6) { position = value }
        return Row(
            owner: statement.integer(0), entity: statement.value(1).plainText,
            relationship: statement.value(2).plainText,
            destination: statement.value(3).plainText, attribute: statement.value(4).plainText,
            identity: statement.value(5), position: position)
    }

    func insert(_ rows: some Sequence<Row>) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(Self.name) (\(Self.columnList)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            in: database)
        for row in rows {
            let values: [StoredValue] = [
                .integer(row.owner), .text(row.entity), .text(row.relationship),
                .text(row.destination), .text(row.attribute), row.identity,
                row.position.map { .integer($0) } ?? .null,
            ]
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            _ = try statement.run()
        }
    }

    func delete(_ rows: some Sequence<Row>) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) WHERE owner = ? AND relationship = ? AND attribute = ? "
                + "AND identity = ?", in: database)
        for row in rows {
            try statement.bind(.integer(row.owner), at: 1)
            try statement.bind(.text(row.relationship), at: 2)
            try statement.bind(.text(row.attribute), at: 3)
            try statement.bind(row.identity, at: 4)
            _ = try statement.run()
        }
    }

    /// Deletes the references of other owners, of some entities, to the same objects.
    func deleteOthers(
        _ rows: some Sequence<Row>, entities: [String]
    ) throws(PersistenceError) {
        let names = entities.map(SQLIdentifier.literal).joined(separator: ", ")
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) WHERE destination = ?1 AND attribute = ?2 AND identity = ?3 "
                + "AND relationship = ?4 AND owner <> ?5 AND entity IN (\(names))", in: database)
        for row in rows {
            try statement.bind(.text(row.destination), at: 1)
            try statement.bind(.text(row.attribute), at: 2)
            try statement.bind(row.identity, at: 3)
            try statement.bind(.text(row.relationship), at: 4)
            try statement.bind(.integer(row.owner), at: 5)
            _ = try statement.run()
        }
    }

    /// Deletes the references of owners to objects that have their identity now.
    func delete(
        _ matches: [(row: Row, key: Int64)], destination: EntityLayout, column: Int
    ) throws(PersistenceError) {
        if matches.isEmpty { return }
        let name = destination.columns[column].quoted
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) WHERE destination = ?2 AND attribute = ?3 "
                + "AND (identity, owner) IN (SELECT +d.\(name), json_extract(m.value, '$[0]') "
                + "FROM json_each(?1) AS m CROSS JOIN \(destination.table.quoted) AS d "
                + "ON d.\(EntityLayout.keyColumn) = json_extract(m.value, '$[1]'))", in: database)
        let pairs = matches.map { "[\($0.row.owner),\($0.key)]" }.joined(separator: ",")
        try statement.bind(.text("[\(pairs)]"), at: 1)
        try statement.bind(.text(destination.name), at: 2)
        try statement.bind(.text(destination.columns[column].name), at: 3)
        _ = try statement.run()
    }

    /// Deletes the references of objects, of one relationship or of all.
    func delete(ofOwners keys: [Int64], relationship: String? = nil) throws(PersistenceError) {
        guard !keys.isEmpty else { return }
        let condition = relationship == nil ? "" : " AND relationship = ?2"
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) WHERE owner IN (SELECT value FROM json_each(?1))\(condition)",
            in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        if let relationship { try statement.bind(.text(relationship), at: 2) }
        _ = try statement.run()
    }

    // MARK: Arrivals

    /// The query of ``groups()``, which takes O(log *n*) for each group.
    ///
    /// `SELECT DISTINCT` would read all references in each save.
    static let groupQuery = """
        WITH RECURSIVE
          d(destination) AS (
            SELECT min(destination) FROM \(name) UNION ALL
            SELECT (SELECT min(p.destination) FROM \(name) p WHERE p.destination > d.destination)
            FROM d WHERE d.destination IS NOT NULL),
          g(destination, attribute) AS (
            SELECT d.destination, (SELECT min(p.attribute) FROM \(name) p
              WHERE p.destination = d.destination)
            FROM d WHERE d.destination IS NOT NULL UNION ALL
            SELECT g.destination, (SELECT min(p.attribute) FROM \(name) p
              WHERE p.destination = g.destination AND p.attribute > g.attribute)
            FROM g WHERE g.attribute IS NOT NULL)
        SELECT destination, attribute FROM g WHERE attribute IS NOT NULL
        """

    /// Returns the destinations and attributes of all references.
    package func groups() throws(PersistenceError) -> [(destination: String, attribute: String)] {
        let statement = try PreparedStatement(Self.groupQuery, in: database)
        var groups: [(destination: String, attribute: String)] = []
        while try statement.step() {
            groups.append((statement.value(0).plainText, statement.value(1).plainText))
        }
        return groups
    }

    /// Returns the references of a group that lead to some objects, or whose owners are given, each
    /// with the oldest object that has the identity.
    func matches(
        destination: EntityLayout, column: Int, entities: [String], arrived keys: [Int64],
        owners: [Int64]
    ) throws(PersistenceError) -> [(row: Row, key: Int64)] {
        let name = destination.columns[column].quoted
        var condition = "p.destination = ?2 AND p.attribute = ?3"
        if destination.table.entityColumn != nil {
            let names = entities.map(SQLIdentifier.literal).joined(separator: ", ")
            condition += " AND d.\(EntityLayout.entityColumn) IN (\(names))"
        }
        let columns = Self.columns.map { "p.\($0)" }.joined(separator: ", ")
        let key = "d.\(EntityLayout.keyColumn)"
        // The operator removes the type of the column, so that the comparison can use the index.
        let byArrival =
            "SELECT \(columns), \(key) FROM json_each(?1) k "
            + "CROSS JOIN \(destination.table.quoted) d ON \(key) = k.value "
            + "CROSS JOIN \(Self.name) p ON p.identity = +d.\(name) WHERE \(condition)"
        let byOwner =
            "SELECT \(columns), \(key) FROM json_each(?1) k "
            + "CROSS JOIN \(Self.name) p ON p.owner = k.value "
            + "CROSS JOIN \(destination.table.quoted) d ON d.\(name) = p.identity "
            + "WHERE \(condition)"
        var oldest: [Row: Int64] = [:]
        for (sql, keys) in [(byArrival, keys), (byOwner, owners)] where !keys.isEmpty {
            let statement = try PreparedStatement(sql, in: database)
            try statement.bind(RowQuery.list(keys), at: 1)
            try statement.bind(.text(destination.name), at: 2)
            try statement.bind(.text(destination.columns[column].name), at: 3)
            while try statement.step() {
                let row = Self.row(statement)
                oldest[row] = min(oldest[row] ?? .max, statement.integer(7))
            }
        }
        return oldest.map { (row: $0.key, key: $0.value) }
            .sorted { ($0.row.owner, $0.key) < ($1.row.owner, $1.key) }
    }
}

extension WaitingReference {
    /// Creates a reference from a row; returns `nil` if the model has no such relationship or attribute.
    package init?(_ row: PendingReferenceTable.Row, in model: ManagedObjectModel) {
        guard let entity = model.index(of: row.entity),
            case .relationship(let relationship) =
                model.layouts[entity].propertyIndices[row.relationship],
            let destination = model.index(of: row.destination),
            case .attribute(let column) =
                model.layouts[destination].propertyIndices[row.attribute]
        else { return nil }
        self.init(
            owner: ReferenceChanges.Owner(key: row.owner, relationship: relationship),
            entity: entity,
            reference: ReferenceChanges.Reference(
                column: column, identity: row.identity, position: row.position))
    }
}

extension StoredValue {
    fileprivate var plainText: String {
        if case .text(let text) = self { text } else { "" }
    }
}
