// SPDX-License-Identifier: Apache-2.0

/// The tables and indexes of a model, as SQL text.
struct SchemaPlan: Sendable {
    /// The `application_id` in the header of the database: "RsKt".
    static let applicationID: Int32 = 0x5273_4B74
    /// The version of the format of `restkit_store`.
    static let formatVersion: Int64 = 2

    /// The statement that creates `restkit_store`, with the identity, the model and the next key.
    static let metadataTable = """
        CREATE TABLE restkit_store (\
        identity TEXT NOT NULL, format INTEGER NOT NULL, model TEXT NOT NULL, \
        next_key INTEGER NOT NULL) STRICT
        """

    /// A table or an index.
    struct Object: Sendable {
        let name: String
        /// The table of an index; `nil` for a table.
        let owner: String?
        /// The columns and constraints of a table.
        let definitions: Set<String>
        /// The text before and after the name in the statement that creates the object.
        private let text: (start: String, end: String)

        init(
            _ start: String, _ name: String, _ end: String, owner: String? = nil,
            definitions: [String] = []
        ) {
            self.name = name
            self.owner = owner
            self.definitions = Set(definitions)
            text = (start, end)
        }

        /// The statement that creates the object.
        var sql: String { sql(named: name) }

        /// Returns a statement that creates the object under another name.
        func sql(named name: String) -> String {
            text.start + SQLIdentifier.quoted(name) + text.end
        }
    }

    /// The tables and indexes, in the order in which they are created.
    private(set) var objects: [Object] = []
    /// The statements that create the tables and indexes, in order.
    var statements: [String] { objects.map(\.sql) }
    /// The prefix of the names of ``orderIndexes``.
    static let orderIndexPrefix = "restkit_order_"
    /// The indexes for the order of numbers that are stored as text; see ``OrderIndexes``.
    private(set) var orderIndexes: [Object] = []
    /// The names of join tables and indexes.
    private(set) var derivedNames: [String] = []

    private let layouts: [EntityLayout]

    init(tables: [TableLayout], layouts: [EntityLayout], links: [LinkLayout]) {
        self.layouts = layouts
        guard layouts.count == tables.reduce(0, { $0 + $1.entities.count }) else { return }
        for table in tables { addTable(table) }
        for link in links { addLink(link) }
    }

    private mutating func addTable(_ table: TableLayout) {
        var definitions = ["\(EntityLayout.keyColumn) INTEGER PRIMARY KEY"]
        var checks: [String] = []
        for column in table.columns {
            var text = "\(column.quoted) \(column.type.columnType)"
            if column.isRequired {
                if column.entities.isEmpty {
                    text += " NOT NULL"
                } else {
                    checks.append(check(column))
                }
            }
            if let destination = column.destination {
                let action = column.isRequired ? "NO ACTION" : "SET NULL"
                text +=
                    " REFERENCES \(layouts[destination].table.quoted)"
                    + " (\(EntityLayout.keyColumn)) ON DELETE \(action)"
                    + " DEFERRABLE INITIALLY DEFERRED"
            }
            definitions.append(text)
        }
        definitions += checks
        objects.append(
            Object(
                "CREATE TABLE ", table.name, " (\(definitions.joined(separator: ", "))) STRICT",
                definitions: definitions))
        for entity in table.entities { addIndexes(of: layouts[entity]) }
    }

    /// Returns a check that the rows of the entities with a column have a value.
    private func check(_ column: ColumnLayout) -> String {
        let names = column.entities.map { SQLIdentifier.literal(layouts[$0].name) }
        return "CHECK (\(EntityLayout.entityColumn) NOT IN (\(names.joined(separator: ", "))) "
            + "OR \(column.quoted) IS NOT NULL)"
    }

    /// Adds the indexes of the properties that an entity declares.
    private mutating func addIndexes(of layout: EntityLayout) {
        let table = layout.table
        let description = layout.description
        let identity = description.attributes.filter(\.isIdentity)
        if !identity.isEmpty {
            addIndex(
                "restkit_identity_\(layout.name)", on: table.name,
                identity.map { SQLIdentifier.quoted($0.name) }, isUnique: true)
        }
        for attribute in description.attributes
        where attribute.type.isNumericText && (attribute.isIndexed || attribute.isIdentity) {
            let name = "\(Self.orderIndexPrefix)\(layout.name)_\(attribute.name)"
            let key = NumericText.orderExpression(SQLIdentifier.quoted(attribute.name))
            derivedNames.append(name)
            orderIndexes.append(
                Object(
                    "CREATE INDEX ", name, " ON \(SQLIdentifier.quoted(table.name)) (\(key))",
                    owner: table.name))
        }
        for attribute in description.attributes where attribute.isIndexed {
            if identity.count == 1, attribute.isIdentity { continue }
            addIndex(
                "restkit_index_\(layout.name)_\(attribute.name)", on: table.name,
                [SQLIdentifier.quoted(attribute.name)], isUnique: false)
        }
        for relationship in layout.relationships.suffix(description.relationships.count) {
            guard case .column(let column) = relationship.storage else { continue }
            addIndex(
                "restkit_index_\(layout.name)_\(relationship.name)", on: table.name,
                [table.columns[column].quoted], isUnique: false)
        }
    }

    private mutating func addLink(_ link: LinkLayout) {
        func end(_ name: String, _ entity: Int) -> String {
            "\(name) INTEGER NOT NULL REFERENCES \(layouts[entity].table.quoted)"
                + " (\(EntityLayout.keyColumn)) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        }
        var columns = [end("source", link.source), end("target", link.target)]
        if link.isTargetOrdered { columns.append("\(LinkLayout.targetPosition) INTEGER") }
        if link.isSourceOrdered { columns.append("\(LinkLayout.sourcePosition) INTEGER") }
        derivedNames.append(link.table)
        objects.append(
            Object(
                "CREATE TABLE ", link.table,
                " (\(columns.joined(separator: ", ")), PRIMARY KEY (source, target)) "
                    + "STRICT, WITHOUT ROWID", definitions: columns))
        addIndex("restkit_index_\(link.table)", on: link.table, ["target"], isUnique: false)
    }

    private mutating func addIndex(
        _ name: String, on table: String, _ columns: [String], isUnique: Bool
    ) {
        derivedNames.append(name)
        objects.append(
            Object(
                "CREATE \(isUnique ? "UNIQUE " : "")INDEX ", name,
                " ON \(SQLIdentifier.quoted(table)) (\(columns.joined(separator: ", ")))",
                owner: table))
    }
}
