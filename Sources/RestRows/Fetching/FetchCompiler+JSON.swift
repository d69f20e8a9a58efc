// SPDX-License-Identifier: Apache-2.0

extension FetchCompiler {
    /// Returns an array for `json_each`; null for other text, such as that of another program.
    mutating func array(_ value: FetchPlan.Value) -> String {
        let text = text(value)
        return "CASE WHEN json_valid(\(text)) THEN "
            + "CASE json_type(\(text)) WHEN 'array' THEN \(text) END END"
    }

    /// Returns an element of an array in the form of a column of its type.
    func element(_ alias: String, _ type: AttributeType) -> String {
        switch type.kind.storage.json {
        // The value of SQLite has 63 bits, and is no JSON.
        case .digits, .any:
            "CASE WHEN \(alias).type <> 'null' THEN \(alias).json -> \(alias).fullkey END"
        case .base64: "restkit_data(\(alias).value)"
        case .integer, .real, .boolean, .text: "\(alias).value"
        }
    }

    /// Returns a member of a JSON value; null if it is of another type.
    mutating func member(_ member: JSONMember, of value: FetchPlan.Value) -> String {
        let text = text(value)
        let json = "CASE WHEN json_valid(\(text)) THEN \(text) END"
        let keys = member.keys.map { ".\"\($0)\"" }.joined()
        let path = bound(.text("$\(keys)"))
        let extracted = "json_extract(\(json), \(path))"
        let results: [(type: String, value: String)] =
            switch member.type.kind.storage.json {
            case .integer, .real: [("integer", extracted), ("real", extracted)]
            case .boolean: [("true", "1"), ("false", "0")]
            case .digits: [("integer", "(\(json)) -> \(path)")]
            case .base64: [("text", "restkit_data(\(extracted))")]
            case .any: []
            case .text: [("text", extracted)]
            }
        let type = "json_type(\(json), \(path))"
        if results.isEmpty { return "CASE WHEN \(type) <> 'null' THEN (\(json)) -> \(path) END" }
        let cases = results.map { "WHEN '\($0.type)' THEN \($0.value)" }
        return "CASE \(type) \(cases.joined(separator: " ")) END"
    }
}
