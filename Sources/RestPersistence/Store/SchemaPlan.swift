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

    /// The statements that create the tables and indexes, in order.
    private(set) var statements: [String] = []
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
        statements.append(
            "CREATE TABLE \(table.quoted) (\((definitions + checks).joined(separator: ", "))) STRICT"
        )
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
                "restkit_identity_\(layout.name)", on: table.quoted,
                identity.map { SQLIdentifier.quoted($0.name) }, isUnique: true)
        }
        for attribute in description.attributes where attribute.isIndexed {
            if identity.count == 1, attribute.isIdentity { continue }
            addIndex(
                "restkit_index_\(layout.name)_\(attribute.name)", on: table.quoted,
                [SQLIdentifier.quoted(attribute.name)], isUnique: false)
        }
        for relationship in layout.relationships.suffix(description.relationships.count) {
            guard case .column(let column) = relationship.storage else { continue }
            addIndex(
                "restkit_index_\(layout.name)_\(relationship.name)", on: table.quoted,
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
        statements.append(
            "CREATE TABLE \(link.quoted) (\(columns.joined(separator: ", ")), "
                + "PRIMARY KEY (source, target)) STRICT, WITHOUT ROWID")
        addIndex("restkit_index_\(link.table)", on: link.quoted, ["target"], isUnique: false)
    }

    private mutating func addIndex(
        _ name: String, on table: String, _ columns: [String], isUnique: Bool
    ) {
        derivedNames.append(name)
        statements.append(
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLIdentifier.quoted(name)) "
                + "ON \(table) (\(columns.joined(separator: ", ")))")
    }
}
