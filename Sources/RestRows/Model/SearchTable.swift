// SPDX-License-Identifier: Apache-2.0

/// The full-text index of a table: an FTS5 table `restkit_search_<Table>` with a column for each
/// searchable attribute, whose `rowid` is the key of the object.
///
/// The columns contain the folded words with a space after each. FTS5 splits at white space only, so that
/// any SQLite shell can read and query the index, and symbols are words.
package struct SearchTable: Sendable {
    enum Schema: String {
        case main
        case temporary = "temp"
    }

    package let table: TableLayout
    /// The searchable columns.
    package let columns: [Int]
    /// The name of the entity of all rows; `nil` if a column has it.
    let entity: String?

    /// Creates the index of a table; `nil` if it has no searchable attributes.
    init?(_ table: TableLayout, _ layouts: [EntityLayout]) {
        var names: Set<String> = []
        for entity in table.entities {
            for attribute in layouts[entity].description.attributes where attribute.isSearchable {
                names.insert(attribute.name)
            }
        }
        columns = table.columns.indices.filter { names.contains(table.columns[$0].name) }
        if columns.isEmpty { return nil }
        self.table = table
        entity = table.entityColumn == nil ? table.name : nil
    }

    /// Returns the reason why an attribute cannot be searchable; `nil` if it can.
    static func problem(with attribute: AttributeDescription) -> String? {
        guard attribute.type.kind.storage.hasWords else {
            return
                "its type is \(attribute.type), and only texts, numbers and JSON values have words"
        }
        return ["rank", "rowid"].contains(SQLIdentifier.caseFolded(attribute.name))
            ? "SQLite reserves the name" : nil
    }

    static func name(of table: TableLayout) -> String { "restkit_search_\(table.name)" }
    package static func quotedName(of table: TableLayout) -> String {
        SQLIdentifier.quoted(name(of: table))
    }

    var name: String { Self.name(of: table) }
    var quoted: String { Self.quotedName(of: table) }

    /// The statement that creates the index.
    func definition(in schema: Schema) -> String {
        let names = columns.map { table.columns[$0].quoted }.joined(separator: ", ")
        return "CREATE VIRTUAL TABLE \(schema.rawValue).\(quoted) USING fts5(\(names), "
            + "tokenize=\"unicode61 remove_diacritics 0 "
            + "categories 'L* M* N* P* S* Co Cn Cf Cs'\")"
    }
}
