// SPDX-License-Identifier: Apache-2.0

/// An entity compiled against its model: everything by index.
final class EntityLayout: Sendable {
    /// Name of the column with an object's key.
    static let keyColumn = "restkit_key"

    let index: Int
    let description: EntityDescription
    let name: String
    /// Attributes first, in their order, then the to-one relationships that own a column.
    let columns: [ColumnLayout]
    let relationships: [RelationshipLayout]
    let attributeCount: Int
    let identity: [Int]
    let defaults: [StoredValue]
    let propertyIndices: [String: PropertyIndex]
    /// By the index that accessors use.
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

/// Which property a name stands for.
enum PropertyIndex: Sendable {
    case attribute(Int)
    case relationship(Int)
}

/// One column of an entity's table.
struct ColumnLayout: Sendable {
    let name: String
    let type: AttributeType
    let isRequired: Bool
    /// How a document's value becomes the column's.
    let reading: AttributeReading
    /// The relationship that owns the column, if it is a foreign key.
    let relationship: Int?

    var quoted: String { SQLIdentifier.quoted(name) }
}

/// Where a relationship's members are found.
struct RelationshipLayout: Sendable {
    enum Storage: Sendable {
        /// A foreign key in a column of the own row.
        case column(Int)
        /// A foreign key in a column of the destination's rows.
        case inverseColumn(Int)
        /// A table of pairs; forward when the own key is `source`.
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

/// A table of pairs.
struct LinkLayout: Sendable {
    let table: String
    let source: Int
    let target: Int

    var quoted: String { SQLIdentifier.quoted(table) }
}
