// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// One relationship of an entity.
///
/// To-one relationships are a column with a foreign key. A to-many relationship whose inverse is
/// to-one is read from that column; any other to-many relationship is a table of its own. Of two
/// to-one relationships that are each other's inverse, the one whose entity and name sort first has
/// the column.
public struct RelationshipDescription: Sendable {
    enum Destination: Sendable {
        case name(String)
        case type(any ManagedEntity.Type)
    }

    enum Inverse: Sendable {
        case name(String)
        case path(any AnyKeyPath & Sendable)
    }

    /// The relationship's name.
    public var name: String
    /// Whether it leads to any number of objects.
    public var isToMany: Bool
    /// Whether it may lead nowhere; a to-many relationship always may.
    public var isOptional: Bool
    /// The key in documents; the name if `nil`.
    public var sourceKey: String?

    let destination: Destination
    let inverse: Inverse?

    init(
        _ name: String, isToMany: Bool, destination: Destination, inverse: Inverse?,
        sourceKey: String?, isOptional: Bool = true
    ) {
        self.name = name
        self.isToMany = isToMany
        self.destination = destination
        self.inverse = inverse
        self.sourceKey = sourceKey
        self.isOptional = isOptional
    }

    /// Describes a relationship to one object.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, isOptional: Bool = true,
        sourceKey: String? = nil
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, isToMany: false, destination: .name(destination),
            inverse: inverse.map { .name($0) }, sourceKey: sourceKey, isOptional: isOptional)
    }

    /// Describes a relationship to any number of objects.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, sourceKey: String? = nil
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, isToMany: true, destination: .name(destination),
            inverse: inverse.map { .name($0) }, sourceKey: sourceKey)
    }

    /// Name of the entity it leads to.
    public var destinationName: String {
        switch destination {
        case .name(let name): name
        case .type(let type): type.entity.name
        }
    }
}

extension RelationshipDescription {
    /// What a mapping finds behind the relationship; entities named by text need their model.
    func relation(_ model: ManagedObjectModel?) -> Relation {
        Relation(isToMany: isToMany) {
            switch destination {
            case .type(let type): type.properties
            case .name(let name):
                model?.properties(of: name) ?? PropertyTable(entity: name, [])
            }
        }
    }
}
