// SPDX-License-Identifier: Apache-2.0

/// The names of the temporary tables with unsaved changes.
///
/// The prefix is reserved, so that no entity has such a name.
package enum PendingName {
    /// The table of the keys of changed rows, including deleted ones.
    package static func changed(_ table: TableLayout) -> String { quoted("changed", table.name) }
    /// The table of the keys of deleted rows.
    static func deleted(_ table: TableLayout) -> String { quoted("deleted", table.name) }
    /// The table of the changed rows with all of their columns.
    package static func rows(_ table: TableLayout) -> String { quoted("pending", table.name) }
    /// The table of the changed rows of a join table, including deleted ones.
    static func changed(_ link: LinkLayout) -> String { quoted("changed", link.table) }
    /// The table of the inserted rows of a join table.
    static func rows(_ link: LinkLayout) -> String { quoted("pending", link.table) }

    /// The name of a temporary table or index with changed rows, without schema and quotes.
    static func pending(_ name: String) -> String { "restkit_pending_\(name)" }

    private static func quoted(_ kind: String, _ name: String) -> String {
        "temp." + SQLIdentifier.quoted("restkit_\(kind)_\(name)")
    }
}
