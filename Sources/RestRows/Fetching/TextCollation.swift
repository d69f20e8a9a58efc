// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// An order of texts in a locale, which a connection knows from its first use on.
///
/// Queries name it and the schema does not, so that other programs need no such order.
package struct TextCollation: Hashable {
    let options: TextOptions
    let locale: Locale

    /// The quoted name in SQL.
    var quoted: String { SQLIdentifier.quoted(name) }

    private var name: String { "restkit_text_\(options.rawValue)_\(locale.identifier)" }

    /// Adds the collation to a connection, unless it is known there.
    func add(to database: Database) throws(PersistenceError) {
        if try isKnown(in: database) { return }
        var compared: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compared.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compared.insert(.diacriticInsensitive) }
        if options.contains(.numeric) { compared.insert(.numeric) }
        let locale = locale
        database.add(
            collation: DatabaseCollation(name) { [compared] left, right in
                left.compare(right, options: compared, range: nil, locale: locale)
            })
    }

    private func isKnown(in database: Database) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT 1 FROM pragma_collation_list WHERE name = ?1", in: database)
        try statement.bind(.text(name), at: 1)
        return try statement.step()
    }
}
