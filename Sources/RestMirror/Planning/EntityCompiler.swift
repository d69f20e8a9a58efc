// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMapping
import RestPersistence
import RestRows

/// The compiler from the entities of a definition to the model of a store.
struct EntityCompiler {
    let definition: Definition
    private(set) var problems: [String] = []

    init(_ definition: Definition) { self.definition = definition }

    /// Returns the model of the store.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition` and everything that the definition lacks.
    static func model(of definition: Definition) throws(MirrorError) -> ManagedObjectModel {
        var compiler = EntityCompiler(definition)
        let entities = definition.entities.map { compiler.description(of: $0) }
        guard compiler.problems.isEmpty else {
            throw MirrorError(.invalidDefinition, details: compiler.problems)
        }
        do throws(PersistenceError) {
            return try ManagedObjectModel(entities)
        } catch {
            throw MirrorError(.invalidDefinition, details: error.details, underlying: error)
        }
    }

    private mutating func description(of entity: EntityDefinition) -> EntityDescription {
        var attributes = entity.attributes.map { attribute in
            let isIdentity = entity.identity.contains(attribute.name)
            return AttributeDescription(
                attribute.name, type(of: attribute, in: entity),
                isOptional: attribute.isOptional && !isIdentity, isIdentity: isIdentity,
                isIndexed: attribute.isIndexed,
                sourceKey: attribute.path.map { SourcePath($0).description },
                isSearchable: entity.search.contains(attribute.name),
                form: form(of: attribute), renamedFrom: attribute.formerNames)
        }
        for name in entity.identity where entity.attribute(named: name) == nil {
            if let relation = entity.relation(named: name), !relation.isToMany {
                if let key = identityAttribute(of: relation) { attributes.append(key) }
            } else {
                problems.append("\(entity.name).\(name) is no attribute and identifies rows")
            }
        }
        return EntityDescription(
            entity.name, attributes: attributes,
            relationships: entity.relations.map { relationship(of: $0, in: entity) }
                + impliedInverses(of: entity),
            renamedFrom: entity.formerNames)
    }

    private mutating func type(
        of attribute: AttributeDefinition, in entity: EntityDefinition
    ) -> AttributeType {
        switch attribute.type {
        case .auto:
            problems.append("\(entity.name).\(attribute.name) has no type yet")
            return .text
        case .integer: return .integer
        case .unsignedInteger: return .unsignedInteger
        case .double: return .double
        case .decimal: return .decimal
        case .text: return .text
        case .boolean: return .boolean
        case .date: return .date
        case .day: return .day
        case .uuid: return .uuid
        case .url: return .url
        case .data: return .data
        case .json: return .json
        }
    }

    private func form(of attribute: AttributeDefinition) -> ReferenceDescription.Form {
        switch attribute.form {
        case .value: .value
        case .lastPathComponent: .lastPathComponent
        }
    }

    /// Returns the attribute with the identity of a destination that identifies a row together with others.
    private mutating func identityAttribute(
        of relation: RelationDefinition
    ) -> AttributeDescription? {
        guard let destination = definition.entity(named: relation.entity),
            destination.identity.count == 1,
            let key = destination.attribute(named: relation.attribute ?? destination.identity[0])
        else {
            problems.append(
                "\(relation.name) identifies rows, but \(relation.entity) has no single identity")
            return nil
        }
        var path = relation.path ?? DocumentPath([.key(relation.name)])
        if relation.form == .object {
            let inner = key.path ?? DocumentPath([.key(key.name)])
            path = DocumentPath(path.components + inner.components)
        }
        return AttributeDescription(
            relation.name + "_" + key.name, type(of: key, in: destination), isIdentity: true,
            sourceKey: SourcePath(path).description,
            form: relation.form == .lastPathComponent ? .lastPathComponent : form(of: key))
    }

    private mutating func relationship(
        of relation: RelationDefinition, in entity: EntityDefinition
    ) -> RelationshipDescription {
        guard let destination = definition.entity(named: relation.entity) else {
            problems.append(
                "\(entity.name).\(relation.name) refers to no entity \(relation.entity)")
            return .toOne(relation.name, entity.name)
        }
        let isInverse = relation.form == .inverse
        let source =
            isInverse
            ? Self.absent
            : relation.path.map { SourcePath($0) }
        let reference = isInverse ? nil : reference(of: relation, to: destination)
        var relationship =
            relation.isToMany
            ? RelationshipDescription.toMany(
                relation.name, relation.entity, inverse: relation.inverse,
                isOrdered: relation.isOrdered, deleteRule: relation.isOwned ? .cascade : .nullify,
                sourceKey: source?.description, reference: reference,
                renamedFrom: relation.formerNames)
            : .toOne(
                relation.name, relation.entity, inverse: relation.inverse,
                deleteRule: relation.isOwned ? .cascade : .nullify,
                sourceKey: source?.description, reference: reference,
                renamedFrom: relation.formerNames)
        relationship.assignment = ListAuthority(definition: definition).policy(
            of: relation, in: entity, at: .embedded)
        return relationship
    }

    /// Returns the relationships that only the relations of other entities name, as their inverses.
    private func impliedInverses(of entity: EntityDefinition) -> [RelationshipDescription] {
        definition.impliedInverses(of: entity.name).map { name, source, relation in
            let path = Self.absent.description
            // An object inside of another one belongs to it, and a reference can be one of many.
            return relation.isToMany && relation.form == .object
                ? .toOne(name, source, inverse: relation.name, sourceKey: path)
                : .toMany(name, source, inverse: relation.name, sourceKey: path)
        }
    }

    /// The path of what no record has.
    private static let absent = SourcePath([.metadata, .key("restkit"), .key("none")])

    /// Returns the form of references; `nil` if the destination has no single attribute to refer to.
    private func reference(
        of relation: RelationDefinition, to destination: EntityDefinition
    ) -> ReferenceDescription? {
        let name = relation.attribute ?? destination.identity.first
        guard let name, relation.attribute != nil || destination.identity.count == 1 else {
            return nil
        }
        let missing: MissingDestination =
            switch relation.missing {
            case .pending: .pending
            case .placeholder: .placeholder
            case .skipped: .skipped
            }
        return ReferenceDescription(
            by: name, missing: missing,
            form: relation.form == .lastPathComponent ? .lastPathComponent : .value)
    }
}

extension Definition {
    /// Returns the relations of an entity that other relations name as their inverses, and that it does not declare.
    func impliedInverses(
        of name: String
    ) -> [(name: String, source: String, relation: RelationDefinition)] {
        guard let entity = entity(named: name) else { return [] }
        var found: [(name: String, source: String, relation: RelationDefinition)] = []
        for source in entities {
            for relation in source.relations where relation.entity == name {
                guard let inverse = relation.inverse, entity.relation(named: inverse) == nil,
                    !found.contains(where: { $0.name == inverse })
                else { continue }
                found.append((inverse, source.name, relation))
            }
        }
        return found
    }
}
