// SPDX-License-Identifier: Apache-2.0

/// Names in SQL text: what is allowed, and the one place where they are quoted.
enum SQLIdentifier {
    /// Longest name in UTF-8 bytes.
    static let maximumLength = 63

    /// A name as SQL text.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    /// Why a name cannot be used; `nil` if it can.
    static func problem(with name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return "contains a control character"
        }
        // Quoting would do, but programs that share the file through GRDB could not name it.
        if name.contains("\"") { return "contains a quotation mark" }
        let lowered = folded(name)
        for prefix in ["sqlite_", "restkit_"] where lowered.hasPrefix(prefix) {
            return "begins with the reserved \(prefix)"
        }
        return nil
    }

    /// The form by which SQLite tells names apart: ASCII letters without case.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
