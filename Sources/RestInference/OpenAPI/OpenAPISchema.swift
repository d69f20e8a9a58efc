// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// A schema of an OpenAPI document with its references, compositions and alternatives resolved.
struct OpenAPISchema {
    /// A property of an object.
    struct Property {
        let name: String
        let schema: SourceValue
    }

    /// The types without null; empty if the schema allows any.
    var types: Set<String> = []
    var isNullable = false
    var format: String?
    /// The properties of an object in the order of the document.
    var properties: [Property] = []
    /// The names of the properties that an object needs.
    var required: Set<String> = []
    /// The schema of the elements of an array.
    var items: SourceValue?
    /// A Boolean value that indicates whether an object has keys that are data.
    var isDictionary = false
    /// The name of the component that the schema refers to.
    var name: String?
    /// A Boolean value that indicates whether the value is an object or a scalar that identifies it.
    var isExpandable = false
    /// The value of `default`, `example` or the first of `enum`.
    var example: SourceValue?
    var maximum: Int?

    var isObject: Bool { types == ["object"] && (!properties.isEmpty || isDictionary) }
    var isArray: Bool { types == ["array"] }
    var isScalar: Bool { types.count == 1 && !types.contains("object") && !types.contains("array") }
}

/// A resolver of the schemas of an OpenAPI document.
struct OpenAPIResolver {
    /// The maximum number of references and compositions around a schema.
    private static let maximumDepth = 10

    let root: SourceValue
    /// The components by their JSON pointers, as documents have thousands of references to them.
    private let components: [String: SourceValue]
    /// The names of the component schemas by the name of their entity in lower case.
    private let names: [String: String]

    init(root: SourceValue) {
        self.root = root
        var components: [String: SourceValue] = [:]
        var names: [String: String] = [:]
        for kind in root["components"]?.pairs ?? [] {
            for component in kind.value.pairs ?? [] {
                components["#/components/\(kind.key)/\(component.key)"] = component.value
                guard kind.key == "schemas" else { continue }
                let name = Words.entityName(component.key).lowercased()
                if names[name] == nil { names[name] = component.key }
            }
        }
        self.components = components
        self.names = names
    }

    /// Returns the component schema that a name means, in any spelling, in the singular or plural.
    func component(named name: String) -> (key: String, value: SourceValue)? {
        guard let key = names[Words.entityName(name).lowercased()],
            let value = components["#/components/schemas/\(key)"]
        else { return nil }
        return (key, value)
    }

    /// Returns the value that a value refers to, with the name of the component.
    func dereferenced(_ value: SourceValue) -> (value: SourceValue, name: String?) {
        var value = value
        var name: String?
        for _ in 0..<Self.maximumDepth {
            guard let reference = value["$ref"]?.text else { return (value, name) }
            guard let target = target(of: reference) else {
                return (SourceValue(.mapping([])), name)
            }
            name = name ?? reference.split(separator: "/").last.map { Self.unescaped(String($0)) }
            value = target
        }
        return (SourceValue(.mapping([])), name)
    }

    /// Returns the value of a JSON pointer in the document; `nil` for other documents.
    private func target(of reference: String) -> SourceValue? {
        if let component = components[reference] { return component }
        guard reference.hasPrefix("#/") else { return nil }
        var value = root
        for component in reference.dropFirst(2).split(separator: "/") {
            guard let next = value[Self.unescaped(String(component))] else { return nil }
            value = next
        }
        return value
    }

    private static func unescaped(_ component: String) -> String {
        let slashed = component.replacing("~1", with: "/").replacing("~0", with: "~")
        return URLText.decoded(slashed[...])
    }

    /// Returns a schema with everything resolved that it refers to, except its properties and elements.
    func schema(_ value: SourceValue) -> OpenAPISchema { schema(value, within: []) }

    /// Returns a schema; an empty one for a component that is composed of itself.
    private func schema(_ value: SourceValue, within outer: [String]) -> OpenAPISchema {
        let (source, name) = dereferenced(value)
        guard outer.count < Self.maximumDepth, name.map(outer.contains) != true else {
            return OpenAPISchema()
        }
        let names = outer + [name ?? ""]
        var schema = OpenAPISchema()
        if let parts = source["allOf"]?.elements {
            let schemas = parts.map { self.schema($0, within: names) }
            for part in schemas { schema.formUnion(part, keepsName: true) }
            // An object with further properties is another one than the component that it extends.
            if schemas.count(where: \.isObject) > 1 { schema.name = nil }
        }
        for keyword in ["oneOf", "anyOf"] {
            guard let alternatives = source[keyword]?.elements else { continue }
            schema.formUnion(
                united(alternatives.map { self.schema($0, within: names) }), keepsName: true)
        }
        schema.formUnion(own(source), keepsName: true)
        if let name { schema.name = name }
        return schema
    }

    /// Returns the schema that all alternatives fit.
    private func united(_ schemas: [OpenAPISchema]) -> OpenAPISchema {
        let isNullable = schemas.contains { $0.isNullable || $0.types == ["null"] }
        let others = schemas.filter { $0.types != ["null"] }
        guard var result = others.first else { return OpenAPISchema(isNullable: isNullable) }
        let objects = others.filter(\.isObject)
        if others.count > 1 {
            if objects.count == others.count {
                // The rows of all alternatives are in one table.
                for other in others.dropFirst() { result.formUnion(other, keepsName: false) }
            } else if objects.count == 1, others.count == 2, others.contains(where: { $0.isScalar })
            {
                result = objects[0]
                result.isExpandable = true
            } else if others.allSatisfy({ $0.isScalar }) {
                let isSame = others.allSatisfy { $0.types == result.types }
                if !isSame { result.types = Set(others.flatMap(\.types)) }
                if !others.allSatisfy({ $0.format == result.format }) { result.format = nil }
            } else {
                result = OpenAPISchema()
            }
        }
        result.isNullable = result.isNullable || isNullable
        return result
    }

    private func own(_ source: SourceValue) -> OpenAPISchema {
        var schema = OpenAPISchema()
        let types =
            source["type"]?.elements?.compactMap(\.text) ?? source["type"]?.text.map { [$0] } ?? []
        schema.types = Set(types)
        schema.isNullable = schema.types.remove("null") != nil && !schema.types.isEmpty
        if types == ["null"] { schema.types = ["null"] }
        if source["nullable"]?.isTrue == true { schema.isNullable = true }
        schema.format = source["format"]?.text
        schema.items = source["items"]
        schema.properties = (source["properties"]?.pairs ?? []).map {
            .init(name: $0.key, schema: $0.value)
        }
        schema.required = Set((source["required"]?.elements ?? []).compactMap(\.text))
        if schema.types.isEmpty {
            if !schema.properties.isEmpty { schema.types = ["object"] }
            if schema.items != nil { schema.types = ["array"] }
            if let values = source["enum"]?.elements, values.allSatisfy({ $0.text != nil }),
                !values.isEmpty
            {
                schema.types = ["string"]
            }
        }
        let additional = source["additionalProperties"]
        let isOpen = additional.map { $0.pairs != nil || $0.isTrue } ?? false
        schema.isDictionary =
            schema.types == ["object"] && schema.properties.isEmpty && (isOpen || additional == nil)
        schema.example =
            source["default"] ?? source["example"] ?? source["examples"]?.elements?.first
            ?? source["enum"]?.elements?.first
        schema.maximum = source["maximum"]?.integer
        return schema
    }
}

extension OpenAPISchema {
    /// Adds what another schema says about the same value.
    fileprivate mutating func formUnion(_ other: OpenAPISchema, keepsName: Bool) {
        types.formUnion(other.types)
        isNullable = isNullable || other.isNullable
        format = format ?? other.format
        let known = Set(properties.map(\.name))
        properties += other.properties.filter { !known.contains($0.name) }
        // Each of several alternatives allows objects without what only the others need.
        required =
            keepsName ? required.union(other.required) : required.intersection(other.required)
        items = items ?? other.items
        isDictionary = (isDictionary || other.isDictionary) && properties.isEmpty
        name = keepsName ? name ?? other.name : name == other.name ? name : nil
        isExpandable = isExpandable || other.isExpandable
        example = example ?? other.example
        maximum = maximum ?? other.maximum
    }
}

extension SourceValue {
    /// The text of a scalar text; `nil` for any other value.
    var text: String? {
        if case .scalar(.text(let text)) = content { text } else { nil }
    }

    var isTrue: Bool { content == .scalar(.boolean(true)) }

    var integer: Int? {
        if case .scalar(.number(let text)) = content { Int(text) } else { nil }
    }

    /// The elements of a sequence; `nil` for any other value.
    var elements: [SourceValue]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The members of a mapping; `nil` for any other value.
    var pairs: [Member]? {
        if case .mapping(let members) = content { members } else { nil }
    }

    /// Returns the value of a key.
    subscript(key: String) -> SourceValue? { pairs?.first { $0.key == key }?.value }
}
