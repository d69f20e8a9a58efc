// SPDX-License-Identifier: Apache-2.0

/// An entity compiled for its model, with indices instead of names.
final class EntityLayout: Sendable {
    /// The name of the primary key column.
    static let keyColumn = "restkit_key"
    /// The name of the column with the name of a row's entity.
    static let entityColumn = "restkit_entity"

    let index: Int
    let description: EntityDescription
    let name: String
    let table: TableLayout
    /// The index of the super-entity.
    let superentity: Int?
    /// The indices of this entity and of all entities that inherit from it.
    let subentities: [Int]
    /// The columns of the attributes, inherited ones first.
    let attributeColumns: [Int]
    /// The columns that a row of this entity must have a value in.
    let requiredColumns: [Int]
    /// The columns of attributes that may have a value which cannot be read.
    let checkedColumns: [Int]
    /// The columns with the owners of ordered lists, and those with the positions in them.
    let positionColumns: [(column: Int, position: Int)]
    /// The relationships, inherited ones first, so that an index means the same in sub-entities.
    let relationships: [RelationshipLayout]
    /// The number of relationships that super-entities declare.
    let inheritedRelationshipCount: Int
    /// The columns of the identification attributes.
    let identity: [Int]
    /// The values of a new row.
    let defaults: [StoredValue]
    let propertyIndices: [String: PropertyIndex]
    /// The properties in the order of declaration, inherited ones first; accessors use the index.
    let properties: [PropertyIndex]
    /// The names of the properties in the same order.
    let propertyNames: [String]

    init(
        index: Int, description: EntityDescription, table: TableLayout, superentity: Int?,
        subentities: [Int], properties: [(name: String, index: PropertyIndex)],
        relationships: [RelationshipLayout], identity: [Int], defaults: [StoredValue]
    ) {
        self.index = index
        self.description = description
        name = description.name
        self.table = table
        self.superentity = superentity
        self.subentities = subentities
        self.relationships = relationships
        inheritedRelationshipCount = relationships.count - description.relationships.count
        self.identity = identity
        self.defaults = defaults
        self.properties = properties.map(\.index)
        propertyNames = properties.map(\.name)
        propertyIndices = Dictionary(properties.map { ($0.name, $0.index) }) { first, _ in first }
        var attributeColumns: [Int] = []
        var owned: [Int] = []
        var positionColumns: [(column: Int, position: Int)] = []
        for property in properties {
            switch property.index {
            case .attribute(let column):
                attributeColumns.append(column)
                owned.append(column)
            case .relationship(let relationship):
                guard case .column(let column) = relationships[relationship].storage else {
                    continue
                }
                owned.append(column)
                let name = ColumnLayout.positionPrefix + relationships[relationship].name
                if let position = table.columns.firstIndex(where: { $0.name == name }) {
                    positionColumns.append((column, position))
                }
            }
        }
        self.positionColumns = positionColumns
        self.attributeColumns = attributeColumns
        checkedColumns = attributeColumns.filter { table.columns[$0].check != nil }
        requiredColumns = owned.filter { table.columns[$0].isRequired }
    }

    /// Returns the column of the attribute at a property index.
    func attributeColumn(_ index: Int) -> Int {
        guard case .attribute(let column) = properties[index] else {
            preconditionFailure("property \(index) of \(name) is not an attribute")
        }
        return column
    }

    /// The columns of the table, which all entities of the hierarchy share.
    var columns: [ColumnLayout] { table.columns }
    var width: Int { table.width }

    /// The one-to-one relationships that are stored in columns of this entity's rows.
    var oneToOneColumns: [(relationship: RelationshipLayout, column: Int)] {
        relationships.compactMap { relationship in
            guard relationship.isOneToOne, case .column(let column) = relationship.storage else {
                return nil
            }
            return (relationship, column)
        }
    }

    /// Returns a Boolean value that indicates whether an entity is this one or inherits from it.
    func includes(_ entity: Int) -> Bool { subentities.contains(entity) }
}

/// A table, which an entity without a super-entity shares with all that inherit from it.
final class TableLayout: Sendable {
    let index: Int
    /// The name of the table, which is that of the topmost entity.
    let name: String
    let quoted: String
    /// The columns after the key.
    let columns: [ColumnLayout]
    /// The column with the name of the row's entity; `nil` if the table has one entity only.
    let entityColumn: Int?
    /// The entities, the topmost first.
    let entities: [Int]
    /// The foreign keys.
    let references: [Int]

    init(
        index: Int, name: String, columns: [ColumnLayout], entityColumn: Int?, entities: [Int]
    ) {
        self.index = index
        self.name = name
        quoted = SQLIdentifier.quoted(name)
        self.columns = columns
        self.entityColumn = entityColumn
        self.entities = entities
        references = columns.indices.filter { columns[$0].destination != nil }
    }

    var width: Int { columns.count }
}

/// The index of a property: the column of an attribute, or the index of a relationship.
enum PropertyIndex: Sendable {
    case attribute(Int)
    case relationship(Int)
}

/// A column of a table.
struct ColumnLayout: Sendable {
    let name: String
    let type: AttributeType
    /// A Boolean value that indicates whether rows of the entities with this column need a value.
    let isRequired: Bool
    /// The conversion from the value of a representation to that of the column.
    let reading: AttributeReading
    /// The check of stored values; `nil` if all values of the column can be read.
    var check: StoredValueCheck?
    /// The entities, including sub-entities, that have the column; empty for all of the table.
    var entities: [Int] = []
    /// The maximum number of Unicode scalars of a text.
    var maximumLength: Int?
    /// The destination entity of a foreign key; `nil` for other columns.
    var destination: Int?

    /// The start of the names of columns with positions, before that of the to-one relationship.
    static let positionPrefix = "restkit_position_"

    var quoted: String { SQLIdentifier.quoted(name) }

    /// The name of the property that a program knows; that of the to-one relationship for a position.
    var propertyName: String {
        name.hasPrefix(Self.positionPrefix)
            ? String(name.dropFirst(Self.positionPrefix.count)) : name
    }
}

/// A relationship compiled for its model.
struct RelationshipLayout: Sendable {
    enum Storage: Sendable {
        /// A foreign key in a column of the source's row.
        case column(Int)
        /// A foreign key in a column of the destination's rows, and the column of the position if the
        /// relationship is ordered.
        case inverseColumn(Int, position: Int?)
        /// A join table; forward if the relationship's owner is its `source`.
        case link(Int, isForward: Bool)
    }

    let index: Int
    let name: String
    let isToMany: Bool
    let isOptional: Bool
    let isOrdered: Bool
    let deleteRule: DeleteRule
    let destination: Int
    /// The index of the inverse among the relationships of the destination.
    let inverse: Int?
    let storage: Storage
    /// A Boolean value that indicates whether the relationship is its own inverse.
    let isSymmetric: Bool
    /// A Boolean value that indicates whether the relationship and its inverse are to-one.
    let isOneToOne: Bool
    /// The form of references in representations; `nil` if they contain objects.
    var reference: ReferenceLayout?

    /// A Boolean value that indicates whether a destination can have one owner only.
    var isExclusive: Bool {
        if case .inverseColumn = storage { return true }
        return isOneToOne
    }

    /// A Boolean value that indicates whether the relationship's owner is the source of its join
    /// table.
    var isForward: Bool {
        guard case .link(_, let isForward) = storage else { return true }
        return isForward
    }

    /// A Boolean value that indicates whether an object needs a destination that refers to it.
    var isRequiredInverse: Bool {
        guard case .inverseColumn = storage else { return false }
        return !isToMany && !isOptional
    }
}

/// A join table.
struct LinkLayout: Sendable {
    /// The column of a target's position among the targets of its source.
    static let targetPosition = "target_position"
    /// The column of a source's position among the sources of its target.
    static let sourcePosition = "source_position"

    let table: String
    /// The name of the relationship whose owner is the source.
    let relationship: String
    let source: Int
    let target: Int
    /// A Boolean value that indicates whether the targets of a source have an order.
    var isTargetOrdered = false
    /// A Boolean value that indicates whether the sources of a target have an order.
    var isSourceOrdered = false

    var quoted: String { SQLIdentifier.quoted(table) }
}
