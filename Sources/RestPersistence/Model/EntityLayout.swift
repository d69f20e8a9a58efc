// SPDX-License-Identifier: Apache-2.0

/// An entity compiled for its model, with indices instead of names.
final class EntityLayout: Sendable {
    /// The name of the primary key column.
    static let keyColumn = "restkit_key"

    let index: Int
    let description: EntityDescription
    let name: String
    /// The attributes in order, then the to-one relationships with a column.
    let columns: [ColumnLayout]
    let relationships: [RelationshipLayout]
    let attributeCount: Int
    let identity: [Int]
    let defaults: [StoredValue]
    let propertyIndices: [String: PropertyIndex]
    /// The properties in the order of declaration, in which accessors count them.
    let properties: [PropertyIndex]

    init(
        index: Int, description: EntityDescription, columns: [ColumnLayout],
        relationships: [RelationshipLayout]
    ) {
        self.index = index
        self.description = description
        name = description.name
        self.columns = columns
        self.relationships = relationships
        attributeCount = description.attributes.count
        identity = description.attributes.indices.filter { description.attributes[$0].isIdentity }
        defaults =
            description.attributes.map(\.defaultValue)
            + Array(repeating: .null, count: columns.count - description.attributes.count)
        var indices: [String: PropertyIndex] = [:]
        for (index, attribute) in description.attributes.enumerated() {
            indices[attribute.name] = .attribute(index)
        }
        for (index, relationship) in description.relationships.enumerated() {
            indices[relationship.name] = .relationship(index)
        }
        propertyIndices = indices
        properties = description.order.compactMap { indices[$0] }
    }

    var width: Int { columns.count }
    var table: String { SQLIdentifier.quoted(name) }
}

/// The index of a property among the attributes or relationships.
enum PropertyIndex: Sendable {
    case attribute(Int)
    case relationship(Int)
}

/// A column of an entity's table.
struct ColumnLayout: Sendable {
    let name: String
    let type: AttributeType
    let isRequired: Bool
    /// The conversion from the value of a representation to that of the column.
    let reading: AttributeReading
    /// The relationship of a foreign key column; `nil` for an attribute.
    let relationship: Int?

    var quoted: String { SQLIdentifier.quoted(name) }
}

/// A relationship compiled for its model.
struct RelationshipLayout: Sendable {
    enum Storage: Sendable {
        /// A foreign key in a column of the source's row.
        case column(Int)
        /// A foreign key in a column of the destination's rows.
        case inverseColumn(Int)
        /// A join table; forward if the relationship's owner is its `source`.
        case link(Int, isForward: Bool)
    }

    let index: Int
    let name: String
    let isToMany: Bool
    let isOptional: Bool
    let destination: Int
    let inverse: Int?
    let storage: Storage
}

/// A join table.
struct LinkLayout: Sendable {
    let table: String
    /// The name of the relationship whose owner is the source.
    let relationship: String
    let source: Int
    let target: Int

    var quoted: String { SQLIdentifier.quoted(table) }
}
