// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference

/// The completion of the entities of a definition by the attributes that sampled records have.
///
/// Declared attributes stay. An attribute is added for each key that no attribute, relation or ignored path covers;
/// an object that is no declared relation is JSON, or columns of its members.
struct EntityCompletion {
    private(set) var definition: Definition
    /// The attributes that were added, by entity, and whose types a later sample can widen.
    private var added: [String: Set<String>]

    /// Creates a completion.
    ///
    /// - Parameters:
    ///   - definition: The definition.
    ///   - widening: The names of attributes whose types samples widen, by entity.
    init(_ definition: Definition, widening: [String: Set<String>] = [:]) {
        self.definition = definition
        added = widening
    }

    /// A Boolean value that indicates whether a definition has entities or types that samples complete.
    static func isNeeded(by definition: Definition) -> Bool {
        definition.entities.contains { entity in
            entity.infersAttributes || entity.attributes.contains { $0.type == .auto }
                || entity.identity.contains { name in
                    entity.attribute(named: name) == nil && entity.relation(named: name) == nil
                }
        }
    }

    /// Adds what sampled records of an entity have.
    ///
    /// - Parameters:
    ///   - records: A list of records.
    ///   - name: The name of the entity.
    mutating func add(_ records: Document, of name: String) {
        guard records.root.count > 0 else { return }
        var inference = DefinitionInference()
        inference.observe(records, from: "", resource: name.lowercased())
        let inferred = inference.result().definition
        guard let resource = inferred.resources.first, case .one(let found) = resource.entity,
            let entity = inferred.entity(named: found)
        else { return }
        merge(entity.shape(in: inferred), into: name, depth: 0)
    }

    /// Returns the definition without open types.
    mutating func finish() -> Definition {
        for index in definition.entities.indices {
            let entity = definition.entities[index]
            for name in entity.identity
            where entity.attribute(named: name) == nil && entity.relation(named: name) == nil {
                definition.entities[index].attributes.insert(
                    AttributeDefinition(name, .text, isOptional: false), at: 0)
            }
            // A word that is searched for can come in a later record.
            for name in entity.search
            where definition.entities[index].attribute(named: name) == nil
                && entity.relation(named: name) == nil
            {
                definition.entities[index].attributes.append(AttributeDefinition(name, .text))
            }
            for position in definition.entities[index].attributes.indices
            where definition.entities[index].attributes[position].type == .auto {
                // JSON keeps every value as it is.
                definition.entities[index].attributes[position].type =
                    entity.identity.contains(definition.entities[index].attributes[position].name)
                    ? .text : .json
            }
        }
        return definition
    }

    /// Keeps the attributes that an earlier completion of the definition has added.
    mutating func keep(_ earlier: Definition) {
        for entity in earlier.entities {
            let attributes = entity.attributes.map { EntityShape.Attribute($0) }
            merge(
                EntityShape(attributes: attributes, relations: []), into: entity.name, depth: .max)
        }
    }

    // MARK: Merging

    private mutating func merge(_ shape: EntityShape, into name: String, depth: Int) {
        guard let index = definition.entities.firstIndex(where: { $0.name == name }) else { return }
        let entity = definition.entities[index]
        for attribute in shape.attributes {
            add(attribute, to: index, declared: entity)
        }
        for relation in shape.relations where !entity.covers(relation.path) {
            add(
                EntityShape.Attribute(
                    name: relation.name, type: .json, path: relation.path, form: .value),
                to: index, declared: entity)
        }
        guard depth < 4 else { return }
        for relation in entity.relations where relation.form != .inverse {
            let path = relation.path ?? DocumentPath([.key(relation.name)])
            let inner = shape.part(at: path)
            if !inner.isEmpty { merge(inner, into: relation.entity, depth: depth + 1) }
        }
    }

    private mutating func add(
        _ attribute: EntityShape.Attribute, to index: Int, declared entity: EntityDefinition
    ) {
        let position = definition.entities[index].attributes.firstIndex {
            ($0.path ?? DocumentPath([.key($0.name)])) == attribute.path
        }
        if let position {
            let known = definition.entities[index].attributes[position]
            if known.type == .auto {
                definition.entities[index].attributes[position].type = attribute.type
                if known.form == .value {
                    definition.entities[index].attributes[position].form = attribute.form
                }
                added[entity.name, default: []].insert(known.name)
            } else if added[entity.name]?.contains(known.name) == true {
                definition.entities[index].attributes[position].type = known.type.widened(
                    to: attribute.type)
            }
            return
        }
        let isIdentity = entity.identity.contains { DocumentPath([.key($0)]) == attribute.path }
        guard isIdentity || entity.infersAttributes && !entity.covers(attribute.path) else {
            return
        }
        var name = attribute.name
        if isIdentity, case .key(let key)? = attribute.path.components.first { name = key }
        let entities = definition.entities[index]
        let implied = definition.impliedInverses(of: entity.name).map(\.name)
        while entities.attribute(named: name) != nil || entities.relation(named: name) != nil
            || implied.contains(name)
        {
            name += "_"
        }
        var new = AttributeDefinition(
            name, attribute.type, form: attribute.form, isOptional: !isIdentity)
        if attribute.path != DocumentPath([.key(name)]) { new.path = attribute.path }
        if isIdentity {
            definition.entities[index].attributes.insert(new, at: 0)
        } else {
            definition.entities[index].attributes.append(new)
        }
        added[entity.name, default: []].insert(name)
    }
}

/// The attributes and relations that records have.
struct EntityShape {
    struct Attribute {
        var name: String
        var type: AttributeDefinition.ValueType
        var path: DocumentPath
        var form: AttributeDefinition.Form

        init(
            name: String, type: AttributeDefinition.ValueType, path: DocumentPath,
            form: AttributeDefinition.Form
        ) {
            self.name = name
            self.type = type
            self.path = path
            self.form = form
        }

        init(_ attribute: AttributeDefinition) {
            name = attribute.name
            type = attribute.type
            path = attribute.path ?? DocumentPath([.key(attribute.name)])
            form = attribute.form
        }
    }

    /// A relation; its shape is `nil` if records refer by identity.
    struct Relation {
        var name: String
        var path: DocumentPath
        var attributes: [Attribute]
    }

    var attributes: [Attribute]
    var relations: [Relation]

    var isEmpty: Bool { attributes.isEmpty && relations.isEmpty }

    /// Returns the shape of the objects at a path: those of a relation, or the members that are columns.
    func part(at path: DocumentPath) -> EntityShape {
        var part = EntityShape(attributes: [], relations: [])
        for relation in relations where relation.path == path {
            part.attributes += relation.attributes
        }
        for attribute in attributes where attribute.path != path && attribute.path.isInside(path) {
            var inner = attribute
            inner.path = DocumentPath(
                Array(attribute.path.components.dropFirst(path.components.count)))
            if case .key(let key)? = inner.path.components.last { inner.name = key }
            part.attributes.append(inner)
        }
        for relation in relations where relation.path != path && relation.path.isInside(path) {
            var inner = relation
            inner.path = DocumentPath(
                Array(relation.path.components.dropFirst(path.components.count)))
            part.relations.append(inner)
        }
        return part
    }
}

extension EntityDefinition {
    /// Returns the shape of the records of an inferred entity.
    fileprivate func shape(in definition: Definition) -> EntityShape {
        EntityShape(
            attributes: attributes.map { EntityShape.Attribute($0) },
            relations: relations.map { relation in
                let inner =
                    relation.form == .object ? definition.entity(named: relation.entity) : nil
                return EntityShape.Relation(
                    name: relation.name, path: relation.path ?? DocumentPath([.key(relation.name)]),
                    attributes: inner?.attributes.map { EntityShape.Attribute($0) } ?? [])
            })
    }

    /// Returns a Boolean value that indicates whether an attribute, a relation or an ignored path has a value, or
    /// an object around it.
    fileprivate func covers(_ path: DocumentPath) -> Bool {
        ignored.contains { path.isInside($0) }
            || relations.contains { path.isInside($0.path ?? DocumentPath([.key($0.name)])) }
            || attributes.contains {
                $0.type != .auto && path.isInside($0.path ?? DocumentPath([.key($0.name)]))
            }
    }
}

extension DocumentPath {
    /// Returns a Boolean value that indicates whether a value is at another path or inside of the value there.
    fileprivate func isInside(_ other: DocumentPath) -> Bool {
        components.starts(with: other.components)
    }
}

extension AttributeDefinition.ValueType {
    /// Returns a type that has the values of this and of another one.
    func widened(to other: AttributeDefinition.ValueType) -> AttributeDefinition.ValueType {
        if self == other || other == .auto { return self }
        switch (self, other) {
        case (.auto, _): return other
        case (.json, _), (_, .json): return .json
        case (.integer, .double), (.double, .integer): return .double
        case (.integer, .decimal), (.decimal, .integer), (.double, .decimal), (.decimal, .double),
            (.unsignedInteger, .decimal), (.decimal, .unsignedInteger):
            return .decimal
        case (.integer, .unsignedInteger), (.unsignedInteger, .integer): return .decimal
        default: return .text
        }
    }
}
