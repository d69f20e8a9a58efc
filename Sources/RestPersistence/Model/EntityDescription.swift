// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// What an entity is called and made of.
///
/// Entities of a class are described by the class (``ManagedEntity/entity``), usually written by
/// `@Entity`. Entities that exist at run time only are described in code; their objects are plain
/// ``ManagedObject``s. Both use the same machinery.
///
/// The table has the entity's name. A column has its attribute's name; a to-one relationship's
/// column has the relationship's name and holds the other row's `restkit_key`. A many-to-many
/// relationship is a table `<Entity>_<relationship>` with the columns `source` and `target`.
public struct EntityDescription: Sendable {
    /// The entity's name, also its table's.
    public var name: String
    /// Attributes in column order.
    public var attributes: [AttributeDescription]
    /// Relationships.
    public var relationships: [RelationshipDescription]
    /// The class of its objects; `nil` for an entity that exists at run time only.
    public var objectType: (any ManagedEntity.Type)?

    // Key paths of the class's properties, for predicates and orderings.
    var paths: [PropertyPath: String] = [:]
    /// Names in the order of declaration: the index an accessor uses.
    var order: [String] = []

    /// Describes an entity that exists at run time only.
    public init(
        _ name: String, attributes: [AttributeDescription],
        relationships: [RelationshipDescription] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.relationships = relationships
        order = attributes.map(\.name) + relationships.map(\.name)
    }

    /// Describes the entity of a class; what `@Entity` writes.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The entity's name; the class's if `nil`.
    ///   - properties: Every property in the order of declaration: its position is the index that
    ///     accessors use.
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
    /// The properties as mappings name them.
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
                isRequired: false, relation: relationship.relation(model), keyPath: paths[name])
        }
        return PropertyTable(entity: name, properties)
    }

    /// Where a source key leads: a dotted path, or where it is none the key as it stands.
    private static func source(_ key: String) -> DocumentPath {
        (try? DocumentPath(parsing: key)) ?? DocumentPath([.key(key)])
    }
}

/// One property of an entity's class: its name, key path and description.
public struct EntityProperty<Object: ManagedEntity>: Sendable {
    let name: String
    let path: any AnyKeyPath & Sendable
    var attribute: AttributeDescription?
    var relationship: RelationshipDescription?

    /// An attribute; type and optionality are the property's.
    public static func property<Value: AttributeValue>(
        _ name: String, _ path: any KeyPath<Object, Value> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, default value: Value? = nil
    ) -> EntityProperty {
        let attribute = AttributeDescription(
            name, of: Value.self, isIdentity: isIdentity, default: value, sourceKey: sourceKey)
        return EntityProperty(name: name, path: path, attribute: attribute)
    }

    /// A relationship to one object or none.
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

    /// A relationship to any number of objects.
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

/// A key path of any kind as a dictionary's key.
struct PropertyPath: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable

    init(_ path: any AnyKeyPath & Sendable) { self.path = path }

    static func == (left: PropertyPath, right: PropertyPath) -> Bool {
        left.path as AnyKeyPath == right.path as AnyKeyPath
    }

    func hash(into hasher: inout Hasher) { hasher.combine(path as AnyKeyPath) }
}
