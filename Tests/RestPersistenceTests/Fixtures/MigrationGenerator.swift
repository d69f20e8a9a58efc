// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence

/// A model whose entities and properties have numbers, which stay when they are renamed.
struct GeneratedSchema {
    struct Attribute {
        let number: Int
        var name: String
        var former: [String] = []
        var isText: Bool
        var isOptional: Bool
        var isIndexed: Bool
        var defaultNumber: Int64?

        /// Returns the value of an attribute for a number.
        func value(_ number: Int64?) -> StoredValue {
            guard let number = number ?? (isOptional ? nil : defaultNumber) else { return .null }
            return isText ? .text("\(number)") : .integer(number)
        }
    }

    struct Relationship {
        let number: Int
        var name: String
        var former: [String] = []
        var destination: Int
        var isToMany: Bool
        var isOrdered: Bool
        /// The name of the inverse, a to-one relationship of the destination if this one is to-many.
        var inverse: String?
    }

    struct Entity {
        let number: Int
        var name: String
        var former: [String] = []
        var superentity: Int?
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
    }

    var entities: [Entity] = []

    /// The name of the attribute that identifies an object in comparisons.
    static let label = "label"

    func lineage(of number: Int) -> [Entity] {
        guard let entity = entities.first(where: { $0.number == number }) else { return [] }
        return (entity.superentity.map(lineage) ?? []) + [entity]
    }

    func name(of number: Int) -> String {
        entities.first { $0.number == number }?.name ?? ""
    }

    var descriptions: [EntityDescription] {
        entities.map { entity in
            var attributes = entity.attributes.map { attribute in
                AttributeDescription(
                    attribute.name, attribute.isText ? .text : .integer,
                    isOptional: attribute.isOptional, isIndexed: attribute.isIndexed,
                    default: attribute.defaultNumber.map {
                        attribute.isText ? .text("\($0)") : .integer($0)
                    } ?? .null, renamedFrom: attribute.former)
            }
            if entity.superentity == nil {
                attributes.append(AttributeDescription(Self.label, .integer, isIdentity: true))
            }
            var relationships = entity.relationships.map { relationship in
                let destination = name(of: relationship.destination)
                return relationship.isToMany
                    ? RelationshipDescription.toMany(
                        relationship.name, destination, inverse: relationship.inverse,
                        isOrdered: relationship.isOrdered, renamedFrom: relationship.former)
                    : .toOne(
                        relationship.name, destination, inverse: relationship.inverse,
                        renamedFrom: relationship.former)
            }
            for other in entities {
                for relationship in other.relationships
                where relationship.destination == entity.number {
                    guard let inverse = relationship.inverse else { continue }
                    relationships.append(
                        relationship.isToMany
                            ? .toOne(inverse, other.name) : .toMany(inverse, other.name))
                }
            }
            return EntityDescription(
                entity.name, inheriting: entity.superentity.map { name(of: $0) },
                attributes: attributes, relationships: relationships, renamedFrom: entity.former)
        }
    }
}

/// The objects of a generated model, by the numbers of entities and properties.
struct GeneratedGraph {
    struct Object {
        let entity: Int
        let label: Int
        var numbers: [Int: Int64?] = [:]
        /// The labels of related objects.
        var related: [Int: [Int]] = [:]
    }

    var objects: [Object] = []

    /// The text of each object that a schema can represent.
    func expected(_ schema: GeneratedSchema) -> [String] {
        let present = Set(objects.filter { !schema.lineage(of: $0.entity).isEmpty }.map(\.label))
        return objects.compactMap { object in
            let lineage = schema.lineage(of: object.entity)
            guard let entity = lineage.last else { return nil }
            var parts = ["\(entity.name) \(object.label)"]
            for attribute in lineage.flatMap(\.attributes) {
                let known = object.numbers[attribute.number]
                // An attribute that is new to the object has its default.
                let value =
                    known.map { attribute.value($0) }
                    ?? attribute.value(attribute.defaultNumber)
                parts.append("\(attribute.name)=\(value)")
            }
            for relationship in lineage.flatMap(\.relationships) {
                var labels = (object.related[relationship.number] ?? []).filter(present.contains)
                if !relationship.isOrdered { labels.sort() }
                parts.append("\(relationship.name)=\(labels)")
            }
            return parts.sorted().joined(separator: " ")
        }.sorted()
    }

    func write(_ schema: GeneratedSchema, into store: ManagedObjectStore) async throws {
        try await store.perform { context in
            var inserted: [Int: ManagedObject] = [:]
            for object in objects {
                let lineage = schema.lineage(of: object.entity)
                guard let entity = lineage.last else { continue }
                let row = try context.insert(entity: entity.name)
                try row.setValue(object.label, GeneratedSchema.label)
                inserted[object.label] = row
                for attribute in lineage.flatMap(\.attributes) {
                    guard let number = object.numbers[attribute.number] else { continue }
                    switch attribute.value(number) {
                    case .integer(let value): try row.setValue(Int(value), attribute.name)
                    case .text(let value): try row.setValue(value, attribute.name)
                    default:
                        if attribute.isText {
                            try row.setValue(String?.none, attribute.name)
                        } else {
                            try row.setValue(Int?.none, attribute.name)
                        }
                    }
                }
            }
            for object in objects {
                guard let row = inserted[object.label] else { continue }
                for relationship in schema.lineage(of: object.entity).flatMap(\.relationships) {
                    let related = (object.related[relationship.number] ?? []).compactMap {
                        inserted[$0]
                    }
                    try row.setRelated(relationship.name, related)
                }
            }
            try context.save()
        }
    }

    func read(_ schema: GeneratedSchema, from store: ManagedObjectStore) async throws -> [String] {
        try await store.perform { context in
            var texts: [String] = []
            for entity in schema.entities {
                var request = FetchRequest(entity.name)
                request.includesSubentities = false
                let lineage = schema.lineage(of: entity.number)
                for object in try context.fetch(request) {
                    let label = try object.value(GeneratedSchema.label, as: Int.self)
                    var parts = ["\(entity.name) \(label)"]
                    for attribute in lineage.flatMap(\.attributes) {
                        let value: StoredValue =
                            attribute.isText
                            ? try object.value(attribute.name, as: String?.self).map { .text($0) }
                                ?? .null
                            : try object.value(attribute.name, as: Int?.self).map {
                                .integer(Int64($0))
                            } ?? .null
                        parts.append("\(attribute.name)=\(value)")
                    }
                    for relationship in lineage.flatMap(\.relationships) {
                        var labels = try object.related(relationship.name).map {
                            try $0.value(GeneratedSchema.label, as: Int.self)
                        }
                        if !relationship.isOrdered { labels.sort() }
                        parts.append("\(relationship.name)=\(labels)")
                    }
                    texts.append(parts.sorted().joined(separator: " "))
                }
            }
            return texts.sorted()
        }
    }
}

/// Random models, objects and changes that can be derived.
struct MigrationGenerator {
    private var random: SeededGenerator
    private var next = 0
    /// The removed entities and properties.
    private(set) var discarded: [String] = []

    init(_ random: SeededGenerator) { self.random = random }

    private mutating func number() -> Int {
        next += 1
        return next
    }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

    // MARK: Models

    mutating func schema() -> GeneratedSchema {
        var schema = GeneratedSchema()
        for _ in 0..<Int.random(in: 2...4, using: &random) { addEntity(to: &schema) }
        for index in schema.entities.indices {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                addRelationship(to: index, of: &schema)
            }
        }
        return schema
    }

    private mutating func addEntity(to schema: inout GeneratedSchema) {
        let number = number()
        var entity = GeneratedSchema.Entity(number: number, name: "E\(number)")
        if chance(3) { entity.superentity = schema.entities.randomElement(using: &random)?.number }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            entity.attributes.append(attribute())
        }
        schema.entities.append(entity)
    }

    private mutating func attribute() -> GeneratedSchema.Attribute {
        let number = number()
        let isOptional = Bool.random(using: &random)
        return GeneratedSchema.Attribute(
            number: number, name: "a\(number)", isText: Bool.random(using: &random),
            isOptional: isOptional, isIndexed: chance(3),
            defaultNumber: isOptional && !chance(3) ? nil : Int64(number))
    }

    private mutating func addRelationship(to index: Int, of schema: inout GeneratedSchema) {
        guard let destination = schema.entities.randomElement(using: &random) else { return }
        let number = number()
        let isToMany = Bool.random(using: &random)
        schema.entities[index].relationships.append(
            GeneratedSchema.Relationship(
                number: number, name: "r\(number)", destination: destination.number,
                isToMany: isToMany, isOrdered: isToMany && Bool.random(using: &random),
                inverse: chance(2) ? "i\(number)" : nil))
    }

    // MARK: Objects

    mutating func graph(of schema: GeneratedSchema) -> GeneratedGraph {
        var graph = GeneratedGraph()
        for label in 0..<Int.random(in: 0...12, using: &random) {
            guard let entity = schema.entities.randomElement(using: &random) else { continue }
            var object = GeneratedGraph.Object(entity: entity.number, label: label)
            for attribute in schema.lineage(of: entity.number).flatMap(\.attributes) {
                let isNull = attribute.isOptional && chance(3)
                object.numbers[attribute.number] =
                    .some(isNull ? nil : Int64.random(in: -9...99, using: &random))
            }
            graph.objects.append(object)
        }
        var taken: Set<[Int]> = []
        for index in graph.objects.indices {
            let lineage = schema.lineage(of: graph.objects[index].entity)
            for relationship in lineage.flatMap(\.relationships) {
                let targets = graph.objects.filter { object in
                    schema.lineage(of: object.entity).contains {
                        $0.number == relationship.destination
                    }
                }.map(\.label).shuffled(using: &random)
                let count = relationship.isToMany ? 3 : 1
                var related: [Int] = []
                for target in targets.prefix(count) where !chance(4) {
                    // The inverse of a to-many relationship is to-one.
                    if relationship.isToMany, relationship.inverse != nil,
                        !taken.insert([relationship.number, target]).inserted
                    {
                        continue
                    }
                    related.append(target)
                }
                graph.objects[index].related[relationship.number] = related
            }
        }
        return graph
    }

    // MARK: Changes

    mutating func changed(_ old: GeneratedSchema) -> GeneratedSchema {
        var schema = old
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let index = Int.random(in: schema.entities.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: addEntity(to: &schema)
            case 1: removeEntity(index, from: &schema, old)
            case 2:
                schema.entities[index].former.insert(schema.entities[index].name, at: 0)
                schema.entities[index].name = "E\(number())"
            case 3: schema.entities[index].attributes.append(attribute())
            case 4: changeAttribute(of: index, in: &schema)
            case 5: removeAttribute(of: index, from: &schema)
            case 6: addRelationship(to: index, of: &schema)
            case 7: changeRelationship(of: index, in: &schema)
            case 8: schema.entities.shuffle(using: &random)
            default: moveAttribute(of: index, in: &schema)
            }
        }
        // A relationship and its inverse are one loss, under either name.
        discarded += old.entities.flatMap { entity in
            removed.map { "\(entity.name).\($0)" }
        }
        return schema
    }

    /// The names in the file of removed properties.
    private var removed: Set<String> = []

    private mutating func removeEntity(
        _ index: Int, from schema: inout GeneratedSchema, _ old: GeneratedSchema
    ) {
        let number = schema.entities[index].number
        let isUsed = schema.entities.contains { entity in
            entity.superentity == number
                || entity.number != number
                    && entity.relationships.contains { $0.destination == number }
        }
        guard !isUsed, schema.entities.count > 1 else { return }
        discarded.append(old.name(of: number))
        for relationship in schema.entities[index].relationships {
            removed.formUnion(["r\(relationship.number)", "i\(relationship.number)"])
        }
        schema.entities.remove(at: index)
    }

    private mutating func changeAttribute(of index: Int, in schema: inout GeneratedSchema) {
        guard let position = schema.entities[index].attributes.indices.randomElement(using: &random)
        else { return }
        var attribute = schema.entities[index].attributes[position]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            attribute.former.insert(attribute.name, at: 0)
            attribute.name = "a\(number())"
        case 1: attribute.isIndexed.toggle()
        case 2: attribute.isText.toggle()
        default:
            attribute.isOptional.toggle()
            if !attribute.isOptional { attribute.defaultNumber = attribute.defaultNumber ?? 1 }
        }
        schema.entities[index].attributes[position] = attribute
    }

    private mutating func removeAttribute(of index: Int, from schema: inout GeneratedSchema) {
        guard let position = schema.entities[index].attributes.indices.randomElement(using: &random)
        else { return }
        let attribute = schema.entities[index].attributes.remove(at: position)
        removed.insert("a\(attribute.number)")
    }

    /// Moves an attribute to the super-entity, where other objects get its default.
    private mutating func moveAttribute(of index: Int, in schema: inout GeneratedSchema) {
        guard let number = schema.entities[index].superentity,
            let target = schema.entities.firstIndex(where: { $0.number == number }),
            let attribute = schema.entities[index].attributes.popLast()
        else { return }
        schema.entities[target].attributes.append(attribute)
    }

    private mutating func changeRelationship(of index: Int, in schema: inout GeneratedSchema) {
        let positions = schema.entities[index].relationships.indices
        guard let position = positions.randomElement(using: &random) else { return }
        var relationship = schema.entities[index].relationships[position]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            relationship.former.insert(relationship.name, at: 0)
            relationship.name = "r\(number())"
        case 1:
            // The inverse of a to-one relationship is to-many, so nothing is lost.
            if !relationship.isToMany {
                relationship.inverse = relationship.inverse == nil ? "i\(number())" : nil
            } else {
                relationship.inverse = nil
            }
        case 2 where !relationship.isToMany:
            relationship.isToMany = true
            relationship.inverse = nil
        default:
            schema.entities[index].relationships.remove(at: position)
            removed.formUnion(["r\(relationship.number)", "i\(relationship.number)"])
            return
        }
        schema.entities[index].relationships[position] = relationship
    }
}
