// SPDX-License-Identifier: Apache-2.0

/// Validation and quoting of identifiers in SQL.
package enum SQLIdentifier {
    /// The maximum length of a name, in UTF-8 bytes.
    static let maximumLength = 63

    /// Returns a name quoted for SQL.
    static func quoted(_ name: String) -> String {
        // Names of models have none, and statements are written for each query.
        let hasQuotes = name.utf8.contains(UInt8(ascii: "\""))
        return "\"" + (hasQuotes ? name.replacing("\"", with: "\"\"") : name) + "\""
    }

    /// Returns a name as a text literal of SQL.
    package static func literal(_ name: String) -> String {
        "'" + name.replacing("'", with: "''") + "'"
    }

    /// Returns the reason why a name is invalid; `nil` if it is valid.
    static func problem(with name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return "contains a control character"
        }
        // SQLite allows it, but programs that share the file through GRDB could not use the name.
        if name.contains("\"") { return "contains a quotation mark" }
        let folded = caseFolded(name)
        for prefix in ["sqlite_", "restkit_"] where folded.hasPrefix(prefix) {
            return "begins with the reserved \(prefix)"
        }
        return nil
    }

    /// Returns the form in which SQLite compares names: with ASCII letters in lower case.
    static func caseFolded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
