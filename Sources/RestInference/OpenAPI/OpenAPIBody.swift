// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The body of a POST request that an OpenAPI document describes, if it can be that of a search: a JSON object.
struct OpenAPIBody {
    /// The names of all members.
    let names: [String]
    /// The members about pages, with plausible values.
    private(set) var parameters: [URLText.Parameter] = []
    /// The other members that a request needs.
    private(set) var members: [TemplateValue.Member] = []
    /// The name of a member that a request needs, and of which the document has no value; `nil` for none.
    private(set) var missing: String?
    /// A Boolean value that indicates whether a member selects a page.
    private(set) var isPaged = false

    /// Reads the description of the body of an operation; `nil` for another type than a JSON object.
    init?(of operation: SourceValue, _ resolver: OpenAPIResolver) {
        guard let described = operation["requestBody"] else {
            names = []
            return
        }
        let body = resolver.dereferenced(described).value
        let content = body["content"]?.pairs?.first { member in
            let type = member.key.lowercased().prefix { $0 != ";" }
            return type == "application/json" || type.hasSuffix("+json") || type == "*/*"
        }
        guard let source = content?.value["schema"] else { return nil }
        let schema = resolver.schema(source)
        guard schema.types == ["object"] || schema.types.isEmpty else { return nil }
        names = schema.properties.map(\.name)
        let example = content?.value["example"]
        for property in schema.properties {
            add(
                property.name, resolver.schema(property.schema), example?[property.name],
                isRequired: schema.required.contains(property.name))
        }
    }

    private mutating func add(
        _ name: String, _ schema: OpenAPISchema, _ example: SourceValue?, isRequired: Bool
    ) {
        if OpenAPIBuilder.cursorNames.contains(name.lowercased()) {
            isPaged = true
            parameters.append(.init(name: name, value: OpenAPIExample.cursor))
        } else if PagingObserver.parameterNames.contains(name) {
            isPaged = true
            parameters.append(.init(name: name, value: "1"))
        } else if PagingObserver.isSize(name) {
            isPaged = true
            guard let size = schema.maximum ?? schema.example?.integer else { return }
            parameters.append(.init(name: name, value: String(size)))
        } else if isRequired, !SecretNames.isSecret(parameter: name) {
            if let value = (example ?? schema.example).flatMap({ TemplateValue(example: $0) }) {
                members.append(.init(name, value))
            } else if schema.types == ["object"] {
                members.append(.init(name, .object([])))
            } else {
                missing = missing ?? name
            }
        }
    }
}

extension TemplateValue {
    /// Creates the value of an example; `nil` for null.
    fileprivate init?(example: SourceValue) {
        switch example.content {
        case .scalar(.null): return nil
        case .scalar(.boolean(let value)): self = .boolean(value)
        case .scalar(.number(let text)): self = .number(text)
        case .scalar(.text(let text)): self = .text(Template(text: text))
        case .sequence(let elements):
            self = .array(elements.compactMap { TemplateValue(example: $0) })
        case .mapping:
            self = .object(
                (example.pairs ?? []).compactMap { member in
                    TemplateValue(example: member.value).map { Member(member.key, $0) }
                })
        }
    }
}

extension SourceValue {
    /// The text of a scalar or of the elements of a list; `nil` for any other value.
    var plainText: String? {
        switch content {
        case .scalar(.null), .mapping: nil
        case .scalar(let scalar): scalar.description
        case .sequence(let elements):
            elements.isEmpty ? nil : elements.compactMap(\.plainText).joined(separator: ",")
        }
    }
}
