// SPDX-License-Identifier: Apache-2.0

/// The tables and indexes of a model, as SQL text.
struct SchemaPlan: Sendable {
    /// The `application_id` in the header of the database: "RsKt".
    static let applicationID: Int32 = 0x5273_4B74
    /// The version of the format of `restkit_store`.
    static let formatVersion: Int64 = 1

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

    init(layouts: [EntityLayout], links: [LinkLayout]) {
        for layout in layouts { addTable(layout, in: layouts) }
        for link in links { addLink(link, in: layouts) }
    }

    private mutating func addTable(_ layout: EntityLayout, in layouts: [EntityLayout]) {
        var definitions = ["\(EntityLayout.keyColumn) INTEGER PRIMARY KEY"]
        for column in layout.columns {
            var text = "\(column.quoted) \(column.type.columnType)"
            if column.isRequired { text += " NOT NULL" }
            if let position = column.relationship,
                let relationship = layout.relationships.first(where: { $0.index == position })
            {
                let action = relationship.isOptional ? "SET NULL" : "NO ACTION"
                text +=
                    " REFERENCES \(layouts[relationship.destination].table)"
                    + " (\(EntityLayout.keyColumn)) ON DELETE \(action)"
                    + " DEFERRABLE INITIALLY DEFERRED"
            }
            definitions.append(text)
        }
        statements.append(
            "CREATE TABLE \(layout.table) (\(definitions.joined(separator: ", "))) STRICT")
        if !layout.identity.isEmpty {
            let columns = layout.identity.map { layout.columns[$0].quoted }
            addIndex("restkit_identity_\(layout.name)", on: layout.table, columns, isUnique: true)
        }
        for column in layout.columns {
            guard column.relationship != nil else { continue }
            addIndex(
                "restkit_index_\(layout.name)_\(column.name)", on: layout.table, [column.quoted],
                isUnique: false)
        }
    }

    private mutating func addLink(_ link: LinkLayout, in layouts: [EntityLayout]) {
        func end(_ name: String, _ entity: Int) -> String {
            "\(name) INTEGER NOT NULL REFERENCES \(layouts[entity].table)"
                + " (\(EntityLayout.keyColumn)) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        }
        derivedNames.append(link.table)
        statements.append(
            "CREATE TABLE \(link.quoted) (\(end("source", link.source)), "
                + "\(end("target", link.target)), PRIMARY KEY (source, target)) "
                + "STRICT, WITHOUT ROWID")
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
