// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A description of an entity: its name, attributes and relationships.
///
/// The entity of a class is the class's ``ManagedEntity/entity``, which `@Entity` usually declares.
/// An entity without a class is described at run time. Its objects are instances of
/// ``ManagedObject``.
///
/// The table has the name of the entity. The column of an attribute has the name of the attribute.
/// The column of a to-one relationship has the name of the relationship and contains the
/// `restkit_key` of the destination. A many-to-many relationship is a table
/// `<Entity>_<relationship>` with the columns `source` and `target`.
public struct EntityDescription: Sendable {
    /// The name of the entity and of its table.
    public var name: String
    /// The attributes, in the order of their columns.
    public var attributes: [AttributeDescription]
    /// The relationships.
    public var relationships: [RelationshipDescription]
    /// The class of the entity's objects; `nil` for an entity without a class.
    public var objectType: (any ManagedEntity.Type)?

    // The key paths of the class, for predicates and orderings.
    var paths: [PropertyPath: String] = [:]
    /// The property names in the order of declaration, in which accessors count them.
    var order: [String] = []

    /// Creates a description of an entity without a class.
    public init(
        _ name: String, attributes: [AttributeDescription],
        relationships: [RelationshipDescription] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.relationships = relationships
        order = attributes.map(\.name) + relationships.map(\.name)
    }

    /// Creates a description of the entity of a class; `@Entity` expands to it.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The name of the entity; `nil` for the name of the class.
    ///   - properties: All properties in the order of declaration. Accessors use the index.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, name: String? = nil, _ properties: [EntityProperty<Object>]
    ) {
        self.name = name ?? String(describing: type)
        attributes = properties.compactMap(\.attribute)
        relationships = properties.compactMap(\.relationship)
        objectType = type
        for property in properties {
            paths[PropertyPath(property.path)] = property.name
            order.append(property.name)
        }
    }
}

extension EntityDescription {
    /// The properties for mappings.
    var propertyTable: PropertyTable { propertyTable(in: nil) }

    func propertyTable(in model: ManagedObjectModel?) -> PropertyTable {
        var paths: [String: any AnyKeyPath & Sendable] = [:]
        for (path, name) in self.paths { paths[name] = path.path }
        let properties = order.compactMap { name -> Property? in
            if let attribute = attributes.first(where: { $0.name == name }) {
                return Property(
                    name: name, source: attribute.sourceKey.map(Self.source),
                    isRequired: !attribute.isOptional, keyPath: paths[name])
            }
            guard let relationship = relationships.first(where: { $0.name == name }) else {
                return nil
            }
            return Property(
                name: name, source: relationship.sourceKey.map(Self.source),
                isRequired: false, relation: relationship.relation(of: self, model),
                keyPath: paths[name])
        }
        let identity = properties.indices.filter { index in
            attributes.contains { $0.isIdentity && $0.name == properties[index].name }
        }
        return PropertyTable(entity: name, properties, identity: identity)
    }

    /// Returns the path of a source key, or a path with the literal key if it is malformed.
    private static func source(_ key: String) -> DocumentPath {
        (try? DocumentPath(parsing: key)) ?? DocumentPath([.key(key)])
    }
}

/// A property of an entity's class: its name, key path and description.
public struct EntityProperty<Object: ManagedEntity>: Sendable {
    let name: String
    let path: any AnyKeyPath & Sendable
    var attribute: AttributeDescription?
    var relationship: RelationshipDescription?

    /// Returns an attribute with the type and optionality of the property.
    public static func property<Value: AttributeValue>(
        _ name: String, _ path: any KeyPath<Object, Value> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, default value: Value? = nil
    ) -> EntityProperty {
        let attribute = AttributeDescription(
            name, of: Value.self, isIdentity: isIdentity, default: value, sourceKey: sourceKey)
        return EntityProperty(name: name, path: path, attribute: attribute)
    }

    /// Returns a to-one relationship.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Destination?> & Sendable,
        sourceKey: String? = nil,
        inverse: (any AnyKeyPath & Sendable)? = nil
    ) -> EntityProperty {
        let relationship = RelationshipDescription(
            name, isToMany: false, destination: .type(Destination.self),
            inverse: inverse.map { .path($0) }, sourceKey: sourceKey)
        return EntityProperty(name: name, path: path, relationship: relationship)
    }

    /// Returns a to-many relationship.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Set<Destination>> & Sendable,
        sourceKey: String? = nil, inverse: (any AnyKeyPath & Sendable)? = nil
    ) -> EntityProperty {
        let relationship = RelationshipDescription(
            name, isToMany: true, destination: .type(Destination.self),
            inverse: inverse.map { .path($0) }, sourceKey: sourceKey)
        return EntityProperty(
            name: name, path: path, relationship: relationship)
    }
}

/// A hashable wrapper of a key path.
struct PropertyPath: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable

    init(_ path: any AnyKeyPath & Sendable) { self.path = path }

    static func == (left: PropertyPath, right: PropertyPath) -> Bool {
        left.path as AnyKeyPath == right.path as AnyKeyPath
    }

    func hash(into hasher: inout Hasher) { hasher.combine(path as AnyKeyPath) }
}
