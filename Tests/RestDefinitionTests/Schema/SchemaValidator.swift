// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument

/// A validator of the keywords of JSON Schema that definitions use; it refuses others.
struct SchemaValidator {
    private static let ignored: Set<String> = ["$schema", "title", "description"]

    /// Returns the paths of the values that a schema does not allow, with the keyword.
    static func problems(of value: Node, _ schema: Node, at path: String = "$") -> [String] {
        if let bool = schema.bool { return bool ? [] : ["\(path): false"] }
        return schema.members.flatMap { keyword, rule in
            problems(of: value, keyword, rule, schema, path)
        }
    }

    private static func problems(
        of value: Node, _ keyword: String, _ rule: Node, _ schema: Node, _ path: String
    ) -> [String] {
        let failure = ["\(path): \(keyword)"]
        switch keyword {
        case "type":
            let types =
                rule.kind == .array ? rule.elements.compactMap(\.string) : [rule.string ?? ""]
            return types.contains { matches(value, $0) } ? [] : failure
        case "enum":
            return rule.elements.contains { $0.debugDescription == value.debugDescription }
                ? [] : failure
        case "const": return rule.debugDescription == value.debugDescription ? [] : failure
        case "pattern":
            guard let text = value.string else { return [] }
            return text.matches(rule.string ?? "") ? [] : failure
        case "minimum": return value.double.map { $0 >= rule.double ?? 0 } == false ? failure : []
        case "minItems":
            return value.kind == .array && value.count < rule.int64 ?? 0 ? failure : []
        case "items":
            guard value.kind == .array else { return [] }
            return value.elements.enumerated().flatMap {
                problems(of: $0.element, rule, at: "\(path)[\($0.offset)]")
            }
        case "properties":
            return rule.members.flatMap { key, rule in
                value[key].map { problems(of: $0, rule, at: "\(path).\(key)") } ?? []
            }
        case "additionalProperties":
            let known = Set((schema["properties"]?.members.map { $0.key }) ?? [])
            return value.members.filter { !known.contains($0.key) }
                .flatMap { problems(of: $0.value, rule, at: "\(path).\($0.key)") }
        case "propertyNames":
            return value.members.filter { !$0.key.matches(rule["pattern"]?.string ?? "") }
                .map { "\(path).\($0.key): propertyNames" }
        case "required":
            guard value.kind == .object else { return [] }
            return rule.elements.compactMap(\.string).filter { value[$0] == nil }
                .map { "\(path): required \($0)" }
        case "dependentRequired":
            return rule.members.filter { key, others in
                value[key] != nil && others.elements.contains { value[$0.string ?? ""] == nil }
            }.map { "\(path): \($0.key) alone" }
        case "anyOf":
            return rule.elements.contains { problems(of: value, $0).isEmpty } ? [] : failure
        case "oneOf":
            return rule.elements.count { problems(of: value, $0).isEmpty } == 1 ? [] : failure
        default: return ignored.contains(keyword) ? [] : ["unknown keyword \(keyword)"]
        }
    }

    private static func matches(_ value: Node, _ type: String) -> Bool {
        switch type {
        case "integer": value.int64 != nil
        case "object": value.kind == .object
        default: value.kind.rawValue == type
        }
    }
}

extension String {
    fileprivate func matches(_ pattern: String) -> Bool {
        range(of: pattern, options: .regularExpression) != nil
    }
}
