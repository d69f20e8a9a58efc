// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A builder of entities from the schemas of an OpenAPI document.
struct OpenAPIEntities {
    /// An entity that is not built yet.
    private struct Pending {
        let name: String
        let schema: OpenAPISchema
        let isRoot: Bool
        let isOwned: Bool
    }

    private static let maximumEmbeddingDepth = 4
    private static let maximumColumnCount = 1_000

    private let resolver: OpenAPIResolver
    private var distinct = DistinctNames()
    /// The names of entities by the name of their component.
    private var known: [String: String] = [:]
    private var pending: [Pending] = []
    private(set) var entities: [EntityDefinition] = []
    private(set) var evidence: [DocumentPath: Evidence] = [:]

    init(_ resolver: OpenAPIResolver) { self.resolver = resolver }

    /// Returns the name of the entity of the records of a resource.
    mutating func root(_ source: SourceValue, named name: String) -> String {
        let entity = entity(resolver.schema(source), key: name, owner: nil, isRoot: true)
        while let next = pending.popLast() { build(next) }
        return entity
    }

    private mutating func entity(
        _ schema: OpenAPISchema, key: String, owner: String?, isRoot: Bool = false
    ) -> String {
        if let component = schema.name, let name = known[component] { return name }
        let isOwned = owner != nil
        let plain = Words.entityName(schema.name ?? key)
        let inline = owner.map { $0 + Words.entityName(key) } ?? plain
        let name = distinct.distinct(schema.name == nil ? inline : plain)
        if let component = schema.name { known[component] = name }
        pending.append(Pending(name: name, schema: schema, isRoot: isRoot, isOwned: isOwned))
        return name
    }

    private mutating func note(_ keys: [String], _ reason: Evidence) {
        evidence[DocumentPath((["entities"] + keys).map { .key($0) })] = reason
    }

    private mutating func build(_ next: Pending) {
        var builder = Builder(name: next.name)
        let identity = Self.identity(next.schema, name: next.name, resolver, isRoot: next.isRoot)
        if let identity {
            builder.definition.identity = [builder.names.distinct(identity)]
            builder.identity = identity
            note(
                [next.name, "identity"],
                Evidence(IdentityNames.isStrong(identity) ? .likely : .guess, "by its name"))
        }
        note(
            [next.name],
            Evidence(
                .certain, next.schema.name.map { "the schema `\($0)`" } ?? "a schema without a name"
            ))
        visit(
            next.schema, .root, prefix: "", stack: [next.schema.name].compactMap(\.self), &builder)
        entities.append(builder.definition)
    }

    /// An entity that is being built.
    private struct Builder {
        let name: String
        var names = DistinctNames()
        var identity: String?
        var definition: EntityDefinition

        init(name: String) {
            self.name = name
            definition = EntityDefinition(name: name, infersAttributes: false)
        }
    }

    /// Returns the property that identifies objects; `nil` for none.
    private static func identity(
        _ schema: OpenAPISchema, name: String, _ resolver: OpenAPIResolver, isRoot: Bool
    ) -> String? {
        let entity = Words.words(of: name)
        let ranked = schema.properties.compactMap { property -> (rank: Int, name: String)? in
            let words = Words.words(of: property.name)
            let value = resolver.schema(property.schema)
            guard value.isScalar, value.types == ["string"] || value.types == ["integer"] else {
                return nil
            }
            if words.count > 1, words.dropLast() == entity[...],
                ["id", "key", "uuid"].contains(words.last)
            {
                return (2, property.name)
            }
            guard let rank = IdentityNames.rank(of: property.name), isRoot || rank < 10 else {
                return nil
            }
            return rank < 36 ? (rank, property.name) : nil
        }
        return ranked.min { $0.rank < $1.rank }?.name
    }

    private mutating func visit(
        _ schema: OpenAPISchema, _ path: DocumentPath, prefix: String, stack: [String],
        _ builder: inout Builder
    ) {
        for property in schema.properties {
            let inner = path.appending(key: property.name)
            let value = resolver.schema(property.schema)
            let count = builder.definition.attributes.count + builder.definition.relations.count
            if count >= Self.maximumColumnCount {
                builder.definition.ignored.append(inner)
            } else if value.isArray {
                addList(value, property.name, inner, prefix, &builder)
            } else if value.isObject, !value.isDictionary {
                addObject(value, property.name, inner, prefix, stack, &builder)
            } else {
                addScalar(value, property.name, inner, prefix, &builder)
            }
        }
    }

    private mutating func addList(
        _ value: OpenAPISchema, _ key: String, _ path: DocumentPath, _ prefix: String,
        _ builder: inout Builder
    ) {
        let items = value.items.map { resolver.schema($0) } ?? OpenAPISchema()
        guard items.isObject, !items.isDictionary else {
            if !addReference(items, key, path, prefix, isToMany: true, &builder) {
                addAttribute(key, .json, path, prefix, &builder)
            }
            return
        }
        let name = items.name ?? key
        let isOwned =
            Self.identity(items, name: Words.entityName(name), resolver, isRoot: false) == nil
        let destination = entity(items, key: key, owner: isOwned ? builder.name : nil)
        addRelation(
            RelationDefinition(
                prefix + key, to: destination, isToMany: true,
                form: items.isExpandable ? .identity : .object,
                isOrdered: isOwned, isOwned: isOwned), path, &builder)
    }

    private mutating func addObject(
        _ value: OpenAPISchema, _ key: String, _ path: DocumentPath, _ prefix: String,
        _ stack: [String],
        _ builder: inout Builder
    ) {
        let name = value.name ?? key
        if Self.identity(value, name: Words.entityName(name), resolver, isRoot: false) != nil {
            let destination = entity(value, key: key, owner: nil)
            addRelation(
                RelationDefinition(
                    prefix + key, to: destination, form: value.isExpandable ? .identity : .object),
                path, &builder)
        } else if path.components.count <= Self.maximumEmbeddingDepth,
            !stack.contains(where: { $0 == value.name })
        {
            visit(
                value, path, prefix: prefix + key + "_",
                stack: stack + [value.name].compactMap(\.self), &builder)
        } else {
            addAttribute(key, .json, path, prefix, &builder)
        }
    }

    private mutating func addScalar(
        _ value: OpenAPISchema, _ key: String, _ path: DocumentPath, _ prefix: String,
        _ builder: inout Builder
    ) {
        if key == builder.identity, path.components.count == 1 {
            builder.definition.attributes.append(
                AttributeDefinition(builder.definition.identity[0], Self.type(of: value)))
        } else if !addReference(value, key, path, prefix, isToMany: false, &builder) {
            addAttribute(key, Self.type(of: value), path, prefix, &builder)
        }
    }

    /// Adds a relation for a member such as `owner_id` if a component with the name has an identity of its type.
    private mutating func addReference(
        _ value: OpenAPISchema, _ key: String, _ path: DocumentPath, _ prefix: String,
        isToMany: Bool,
        _ builder: inout Builder
    ) -> Bool {
        guard value.isScalar, let stem = IdentityNames.stem(of: key),
            let component = resolver.component(named: stem)
        else { return false }
        var schema = resolver.schema(component.value)
        schema.name = component.key
        guard let identity = Self.identity(schema, name: component.key, resolver, isRoot: false),
            let property = schema.properties.first(where: { $0.name == identity }),
            resolver.schema(property.schema).types == value.types
        else { return false }
        let destination = entity(schema, key: component.key, owner: nil)
        // The key of an object in itself is no reference.
        guard destination != builder.name else { return false }
        let relation = addRelation(
            RelationDefinition(
                prefix + stem + (isToMany ? "s" : ""), to: destination, isToMany: isToMany,
                form: .identity),
            path, &builder)
        note([builder.name, "relations", relation], Evidence(.guess, "the name `\(key)`"))
        return true
    }

    @discardableResult
    private func addRelation(
        _ relation: RelationDefinition, _ path: DocumentPath, _ builder: inout Builder
    ) -> String {
        var relation = relation
        relation.name = builder.names.distinct(EntityBuilder.columnName(relation.name))
        if path != DocumentPath([.key(relation.name)]) { relation.path = path }
        builder.definition.relations.append(relation)
        return relation.name
    }

    private func addAttribute(
        _ key: String, _ type: AttributeDefinition.ValueType, _ path: DocumentPath,
        _ prefix: String,
        _ builder: inout Builder
    ) {
        var attribute = AttributeDefinition(
            builder.names.distinct(EntityBuilder.columnName(prefix + key)), type)
        if path != DocumentPath([.key(attribute.name)]) { attribute.path = path }
        builder.definition.attributes.append(attribute)
    }

    private static func type(of schema: OpenAPISchema) -> AttributeDefinition.ValueType {
        switch schema.types {
        case ["boolean"]: return .boolean
        case ["integer"]: return schema.format == "uint64" ? .unsignedInteger : .integer
        case ["number"], ["integer", "number"]:
            return schema.format == "decimal" ? .decimal : .double
        case ["string"]:
            switch schema.format {
            case "date-time": return .date
            case "date": return .day
            case "uuid": return .uuid
            case "uri", "url": return .url
            case "byte": return .data
            default: return .text
            }
        default: return .json
        }
    }
}
