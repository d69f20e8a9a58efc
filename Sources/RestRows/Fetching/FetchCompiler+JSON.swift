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
        switch type.kind {
        // The value of SQLite has 63 bits, and is no JSON.
        case .unsignedInteger, .json:
            "CASE WHEN \(alias).type <> 'null' THEN \(alias).json -> \(alias).fullkey END"
        case .data: "restkit_data(\(alias).value)"
        default: "\(alias).value"
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
            switch member.type.kind {
            case .integer, .double: [("integer", extracted), ("real", extracted)]
            case .boolean: [("true", "1"), ("false", "0")]
            case .unsignedInteger: [("integer", "(\(json)) -> \(path)")]
            case .data: [("text", "restkit_data(\(extracted))")]
            case .json: []
            case .decimal, .text, .date, .day, .uuid, .url: [("text", extracted)]
            }
        let type = "json_type(\(json), \(path))"
        if results.isEmpty { return "CASE WHEN \(type) <> 'null' THEN (\(json)) -> \(path) END" }
        let cases = results.map { "WHEN '\($0.type)' THEN \($0.value)" }
        return "CASE \(type) \(cases.joined(separator: " ")) END"
    }
}
