// SPDX-License-Identifier: Apache-2.0

import RestDocument
package import RestMapping

/// A description of an entity: its name, attributes and relationships.
///
/// The entity of a class is the class's ``EntityDescribing/entity``, which `@Entity` usually declares.
/// An entity without a class is described at run time. Its objects are instances of
/// ``ManagedObject``.
///
/// An entity that inherits from no other has a table with its name. A sub-entity shares the table of
/// its super-entity, whose column `restkit_entity` contains the name of each row's entity. The column
/// of an attribute has the name of the attribute. The column of a to-one relationship has the name of
/// the relationship and contains the `restkit_key` of the destination. A many-to-many relationship is
/// a table `<Entity>_<relationship>` with the columns `source` and `target`.
public struct EntityDescription: Sendable {
    /// The name of the entity and of its table.
    public var name: String
    /// The attributes in the order of their columns, without inherited ones.
    public var attributes: [AttributeDescription]
    /// The relationships, without inherited ones.
    public var relationships: [RelationshipDescription]
    /// The names of the entity in earlier models, the latest first.
    ///
    /// A migration finds the objects of the entity by these names if the file has no entity with its
    /// current name.
    public var formerNames: [String] = []
    /// The class of the entity's objects; `nil` for an entity without a class.
    public var objectType: (any EntityDescribing.Type)?

    /// The entity that this one inherits from.
    enum Superentity: Sendable {
        case name(String)
        case type(any EntityDescribing.Type)
    }

    let superentity: Superentity?
    /// The key paths of the class, including inherited ones, for predicates and orderings.
    package var paths: [PropertyPath: String] = [:]
    /// The property names in the order of declaration, without inherited ones.
    package var order: [String] = []
    /// The names of properties that the values of objects do not have, without inherited ones.
    package var hiddenNames: Set<String> = []

    /// Creates a description of an entity without a class.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - superentity: The name of the entity to inherit from; `nil` for none.
    ///   - attributes: The attributes, without inherited ones.
    ///   - relationships: The relationships, without inherited ones.
    ///   - formerNames: The names of the entity in earlier models, the latest first.
    public init(
        _ name: String, inheriting superentity: String? = nil, attributes: [AttributeDescription],
        relationships: [RelationshipDescription] = [], renamedFrom formerNames: [String] = []
    ) {
        self.name = name
        self.formerNames = formerNames
        self.superentity = superentity.map { .name($0) }
        self.attributes = attributes
        self.relationships = relationships
        order = attributes.map(\.name) + relationships.map(\.name)
    }

    /// Creates a description of the entity of a class.
    package init(
        _ name: String, of type: any EntityDescribing.Type,
        inheriting superentity: (any EntityDescribing.Type)?, attributes: [AttributeDescription],
        relationships: [RelationshipDescription], renamedFrom formerNames: [String]
    ) {
        self.name = name
        self.formerNames = formerNames
        self.superentity = superentity.map { .type($0) }
        self.attributes = attributes
        self.relationships = relationships
        objectType = type
    }

    /// The name of the entity that this one inherits from; `nil` if there is none.
    public var superentityName: String? {
        switch superentity {
        case .name(let name): name
        case .type(let type): type.entity.name
        case nil: nil
        }
    }

    /// The number of properties of a class, including inherited ones.
    ///
    /// The accessors of a subclass begin at this index.
    public var propertyCount: Int {
        guard case .type(let type) = superentity else { return order.count }
        return type.entity.propertyCount + order.count
    }
}

extension EntityDescription {
    /// The properties for mappings.
    package var propertyTable: PropertyTable { propertyTable(in: nil) }

    func propertyTable(in model: ManagedObjectModel?) -> PropertyTable {
        var paths: [String: any AnyKeyPath & Sendable] = [:]
        for (path, name) in self.paths { paths[name] = path.path }
        var properties: [Property] = []
        var identity: [Int] = []
        let lineage = lineage(in: model)
        for entity in lineage {
            for name in entity.order {
                guard let property = entity.property(name, paths[name], model) else { continue }
                if entity.attributes.contains(where: { $0.isIdentity && $0.name == name }) {
                    identity.append(properties.count)
                }
                properties.append(property)
            }
        }
        return PropertyTable(
            entity: name, inheriting: lineage.dropLast().map(\.name), properties,
            identity: identity)
    }

    private func property(
        _ name: String, _ path: (any AnyKeyPath & Sendable)?, _ model: ManagedObjectModel?
    ) -> Property? {
        if let attribute = attributes.first(where: { $0.name == name }) {
            return Property(
                name: name, source: attribute.sourceKey.map(Self.source),
                isRequired: !attribute.isOptional, conversion: attribute.conversion, keyPath: path)
        }
        guard let relationship = relationships.first(where: { $0.name == name }) else {
            return nil
        }
        return Property(
            name: name, source: relationship.sourceKey.map(Self.source),
            isRequired: false, relation: relationship.relation(of: self, model), keyPath: path)
    }

    /// The super-entities, the topmost first, followed by the entity itself.
    ///
    /// A super-entity by name is found in the model; without a model it is left out.
    func lineage(in model: ManagedObjectModel?) -> [EntityDescription] {
        switch superentity {
        case .type(let type): type.entity.lineage(in: model) + [self]
        case .name(let name): (model?[name]?.lineage(in: model) ?? []) + [self]
        case nil: [self]
        }
    }

    /// Returns the path of a source key, or a path with the literal key if it is malformed.
    private static func source(_ key: String) -> SourcePath {
        (try? SourcePath(parsing: key)) ?? SourcePath([.key(key)])
    }
}

/// A hashable wrapper of a key path.
package struct PropertyPath: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable

    package init(_ path: any AnyKeyPath & Sendable) { self.path = path }

    package static func == (left: PropertyPath, right: PropertyPath) -> Bool {
        left.path as AnyKeyPath == right.path as AnyKeyPath
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(path as AnyKeyPath) }
}
