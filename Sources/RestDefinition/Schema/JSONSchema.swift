// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Definition {
    /// Returns the JSON Schema (draft 2020-12) of definitions, for editors.
    ///
    /// It is generated from the table of keys that the reader uses.
    public static func jsonSchema() -> Document {
        var members: [(String, Document)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("title", "Definition of a REST API and its mirror"),
        ]
        members += DefinitionKeys.definition.schema.members
        return .object(members)
    }
}

extension ValueSchema {
    fileprivate var document: Document { .object(members) }

    fileprivate var members: [(String, Document)] {
        switch self {
        case .any: []
        case .null: [("type", "null")]
        case .boolean: [("type", "boolean")]
        case .integer(let minimum): [("type", "integer"), ("minimum", .number(minimum))]
        case .text(let pattern):
            [("type", "string")] + (pattern.map { [("pattern", .string($0))] } ?? [])
        case .scalar: [("type", ["string", "number", "boolean"])]
        case .choice(let names): [("enum", .array(names.map { .string($0) }))]
        case .sequence(let element, let minimum):
            [("type", "array"), ("items", element.document)]
                + (minimum > 0 ? [("minItems", .number(minimum))] : [])
        case .map(let element, let names):
            [("type", "object")]
                + (names.map { [("propertyNames", .object([("pattern", .string($0))]))] } ?? [])
                + [("additionalProperties", element.document)]
        case .object(let schema): schema.members
        case .either(let schemas): [("anyOf", .array(schemas.map(\.document)))]
        }
    }
}

extension ObjectSchema {
    fileprivate var members: [(String, Document)] {
        if cases.isEmpty { return members(of: nil) }
        return [("type", "object"), ("oneOf", .array(cases.map { .object(members(of: $0)) }))]
    }

    private func members(of type: Case?) -> [(String, Document)] {
        let names = names(for: type)
        var properties = keys.filter { names.contains($0.name) }.map { key in
            (key.name, Document.object([("description", .string(key.summary))] + key.value.members))
        }
        let required = keys.filter(\.isRequired).map(\.name) + (type?.required ?? [])
        var members: [(String, Document)] = [("type", "object")]
        if let type {
            members.append(("description", .string(type.summary)))
            properties[0].1 = .object([("const", .string(type.type))])
        }
        members += [("properties", .object(properties)), ("additionalProperties", false)]
        if !required.isEmpty {
            members.append(("required", .array(required.map { .string($0) })))
        }
        let dependencies = dependencies.filter { names.contains($0.key) }
        if !dependencies.isEmpty {
            let rules = dependencies.map { ($0.key, Document.array([.string($0.other)])) }
            members.append(("dependentRequired", .object(rules)))
        }
        if !alternatives.isEmpty {
            members.append(
                (
                    "oneOf",
                    .array(alternatives.map { .object([("required", .array([.string($0)]))]) })
                ))
        }
        return members
    }
}
