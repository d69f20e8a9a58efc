// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A description of a relationship of an entity.
///
/// A to-one relationship is a foreign key column. A to-many relationship whose inverse is to-one
/// uses the column of the inverse. Any other to-many relationship has a join table. If both a
/// relationship and its inverse are to-one, the one whose entity and name sort first has the column.
/// The positions of an ordered relationship are in the join table, or beside the foreign key in a
/// column `restkit_position_<inverse>`.
public struct RelationshipDescription: Sendable {
    package enum Destination: Sendable {
        case name(String)
        case type(any EntityDescribing.Type)
    }

    /// The name of the relationship.
    public var name: String
    /// A Boolean value that indicates whether the relationship is to-many.
    public var isToMany: Bool
    /// A Boolean value that indicates whether the relationship may have no destination, as a to-many
    /// relationship always may.
    public var isOptional: Bool
    /// A Boolean value that indicates whether the destinations of a to-many relationship have an
    /// order, which is stored.
    public var isOrdered = false
    /// The effect of deleting an object on the destinations.
    public var deleteRule = DeleteRule.nullify
    /// The key in representations; `nil` for the name of the relationship.
    public var sourceKey: String?
    /// The form of references in representations; `nil` if they contain objects.
    public var reference: ReferenceDescription?

    /// The policy of the default mapping for the existing destinations.
    ///
    /// A mapping of the relationship has a policy of its own.
    public var assignment = AssignmentPolicy.set

    /// The names of the relationship in earlier models, the latest first.
    ///
    /// A migration finds the destinations by these names if the file has no property with the current
    /// name.
    public var formerNames: [String] = []

    let destination: Destination
    /// The name of the inverse relationship.
    let inverse: String?

    package init(
        _ name: String, isToMany: Bool, destination: Destination, inverse: String?,
        sourceKey: String?, isOptional: Bool = true, isOrdered: Bool = false,
        deleteRule: DeleteRule = .nullify, reference: ReferenceDescription? = nil,
        formerNames: [String] = []
    ) {
        self.name = name
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
        self.formerNames = formerNames
        self.destination = destination
        self.inverse = inverse
        self.sourceKey = sourceKey
        self.isOptional = isOptional
        self.reference = reference
    }

    /// Returns a description of a to-one relationship.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String? = nil, isOptional: Bool = true,
        deleteRule: DeleteRule = .nullify, sourceKey: String? = nil,
        reference: ReferenceDescription? = nil,
        renamedFrom formerNames: [String] = []
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, isToMany: false, destination: .name(destination),
            inverse: inverse, sourceKey: sourceKey, isOptional: isOptional,
            deleteRule: deleteRule, reference: reference, formerNames: formerNames)
    }

    /// Returns a description of a to-many relationship.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String? = nil, isOrdered: Bool = false,
        deleteRule: DeleteRule = .nullify, sourceKey: String? = nil,
        reference: ReferenceDescription? = nil,
        renamedFrom formerNames: [String] = []
    ) -> RelationshipDescription {
        RelationshipDescription(
            name, isToMany: true, destination: .name(destination),
            inverse: inverse, sourceKey: sourceKey, isOrdered: isOrdered,
            deleteRule: deleteRule, reference: reference, formerNames: formerNames)
    }

    /// The name of the destination entity.
    public var destinationName: String {
        switch destination {
        case .name(let name): name
        case .type(let type): type.entity.name
        }
    }
}

extension RelationshipDescription {
    /// Returns the relation for mappings; an entity without a class requires its model.
    func relation(of entity: EntityDescription, _ model: ManagedObjectModel?) -> Relation {
        let table: @Sendable () -> PropertyTable = { [destination] in
            switch destination {
            case .type(let type): type.properties
            case .name(let name):
                model?.properties(of: name) ?? PropertyTable(entity: name, [])
            }
        }
        var property: (@Sendable () -> Int?)?
        if let reference { property = { reference.property(of: table()) } }
        return Relation(
            isToMany: isToMany, isInverse: isInverse(of: entity, model), assignment: assignment,
            reference: property, table)
    }

    /// Returns a Boolean value that indicates whether the inverse of the relationship is the one to
    /// write in requests.
    ///
    /// Of a to-one and a to-many relationship, the to-one is written. Of two relationships of the
    /// same kind, the one that does not declare the inverse is written, or if both declare it, the
    /// one whose entity and name sort first.
    private func isInverse(of entity: EntityDescription, _ model: ManagedObjectModel?) -> Bool {
        let destination: EntityDescription? =
            switch destination {
            case .type(let type): type.entity
            case .name(let name): model?[name]
            }
        guard let destination else { return inverse != nil }
        let other = destination.relationships.first { other in
            isInverse(other, of: destination) || other.isInverse(self, of: entity)
        }
        guard let other else { return false }
        if isToMany != other.isToMany { return isToMany }
        let isDeclaredByBoth = inverse != nil && other.inverse != nil
        return isDeclaredByBoth
            ? (entity.name, name) > (destination.name, other.name) : inverse != nil
    }

    /// Returns a Boolean value that indicates whether this relationship declares another one as its
    /// inverse.
    private func isInverse(
        _ other: RelationshipDescription, of destination: EntityDescription
    ) -> Bool {
        destinationName == destination.name && inverse == other.name
    }
}

/// The effect of deleting an object on the destinations of a relationship.
public struct DeleteRule: Sendable, Hashable, CustomStringConvertible {
    private enum Storage: String {
        case nullify
        case cascade
        case deny
    }

    private let storage: Storage

    /// The destinations no longer refer to the object.
    public static let nullify = DeleteRule(storage: .nullify)
    /// The destinations are deleted as well.
    public static let cascade = DeleteRule(storage: .cascade)
    /// The object cannot be deleted while it has destinations.
    public static let deny = DeleteRule(storage: .deny)

    /// The name of the rule.
    public var description: String { storage.rawValue }
}
