// SPDX-License-Identifier: Apache-2.0

/// An entity compiled for its model, with indices instead of names.
@usableFromInline package final class EntityLayout: Sendable {
    /// The name of the primary key column.
    package static let keyColumn = "restkit_key"
    /// The name of the column with the name of a row's entity.
    package static let entityColumn = "restkit_entity"

    package let index: Int
    package let description: EntityDescription
    @usableFromInline package let name: String
    @usableFromInline package let table: TableLayout
    /// The index of the super-entity.
    package let superentity: Int?
    /// The indices of this entity and of all entities that inherit from it.
    package let subentities: [Int]
    /// The columns of the attributes, inherited ones first.
    package let attributeColumns: [Int]
    /// The columns that a row of this entity must have a value in.
    package let requiredColumns: [Int]
    /// The columns of attributes that may have a value which cannot be read.
    let checkedColumns: [Int]
    /// The relationships, inherited ones first, so that an index means the same in sub-entities.
    package let relationships: [RelationshipLayout]
    /// The number of relationships that super-entities declare.
    package let inheritedRelationshipCount: Int
    /// The columns of the identification attributes.
    package let identity: [Int]
    /// The values of a new row.
    package let defaults: [StoredValue]
    package let propertyIndices: [String: PropertyIndex]
    /// The properties in the order of declaration, inherited ones first; accessors use the index.
    @usableFromInline package let properties: [PropertyIndex]
    /// The names of the properties in the same order.
    package let propertyNames: [String]

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
            }
        }
        self.attributeColumns = attributeColumns
        checkedColumns = attributeColumns.filter { table.columns[$0].check != nil }
        requiredColumns = owned.filter { table.columns[$0].isRequired }
    }

    /// Returns the column of the attribute at a property index.
    @inlinable package func attributeColumn(_ index: Int) -> Int {
        guard case .attribute(let column) = properties[index] else {
            preconditionFailure("property \(index) of \(name) is not an attribute")
        }
        return column
    }

    /// The columns of the table, which all entities of the hierarchy share.
    @inlinable package var columns: [ColumnLayout] { table.columns }
    @inlinable package var width: Int { table.width }

    /// The one-to-one relationships that are stored in columns of this entity's rows.
    package var oneToOneColumns: [(relationship: RelationshipLayout, column: Int)] {
        relationships.compactMap { relationship in
            guard relationship.isOneToOne, case .column(let column) = relationship.storage else {
                return nil
            }
            return (relationship, column)
        }
    }

    /// Returns a Boolean value that indicates whether an entity is this one or inherits from it.
    package func includes(_ entity: Int) -> Bool { subentities.contains(entity) }
}

/// A table, which an entity without a super-entity shares with all that inherit from it.
@usableFromInline package final class TableLayout: Sendable {
    package let index: Int
    /// The name of the table, which is that of the topmost entity.
    let name: String
    package let quoted: String
    /// The columns after the key.
    @usableFromInline package let columns: [ColumnLayout]
    /// The column with the name of the row's entity; `nil` if the table has one entity only.
    @usableFromInline package let entityColumn: Int?
    /// The entities, the topmost first.
    package let entities: [Int]
    /// The foreign keys.
    package let references: [Int]
    /// The places of rows in ordered lists.
    package let places: [PlaceColumns]

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
        places = references.compactMap { owner in
            let name = ColumnLayout.positionPrefix + columns[owner].name
            return columns.firstIndex { $0.name == name }.map {
                PlaceColumns(owner: owner, position: $0)
            }
        }
    }

    @inlinable package var width: Int { columns.count }

    /// Returns the column with the position in the list of the object that a column refers to; `nil` if the
    /// list has no order.
    package func position(besides owner: Int) -> Int? {
        places.first { $0.owner == owner }?.position
    }
}

/// The place of a row in an ordered list: the owner of the list, and the position.
///
/// The position belongs to the owner. An object that gets another owner without a position, because its own
/// reference names the owner and no list contains it, is the last: it has no position. Among objects without
/// one, the order is that of their creation. What may not be written of one column may not be written of the
/// other, so that an object never has its former position in another list.
package struct PlaceColumns: Sendable {
    /// The foreign key.
    package let owner: Int
    package let position: Int

    /// Returns a mask with both columns if it has one of them.
    package func completing(_ mask: ColumnMask) -> ColumnMask {
        guard mask.contains(owner) || mask.contains(position) else { return mask }
        var mask = mask
        mask.insert(owner)
        mask.insert(position)
        return mask
    }
}

/// The index of a property: the column of an attribute, or the index of a relationship.
@usableFromInline package enum PropertyIndex: Sendable {
    case attribute(Int)
    case relationship(Int)
}

/// A column of a table.
@usableFromInline package struct ColumnLayout: Sendable {
    package let name: String
    package let type: AttributeType
    /// A Boolean value that indicates whether rows of the entities with this column need a value.
    package let isRequired: Bool
    /// The conversion from the value of a representation to that of the column.
    package let reading: AttributeReading
    /// The check of stored values; `nil` if all values of the column can be read.
    var check: StoredValueCheck?
    /// The entities, including sub-entities, that have the column; empty for all of the table.
    var entities: [Int] = []
    /// The maximum number of Unicode scalars of a text.
    package var maximumLength: Int?
    /// The destination entity of a foreign key; `nil` for other columns.
    package var destination: Int?

    /// The start of the names of columns with positions, before that of the to-one relationship.
    static let positionPrefix = "restkit_position_"

    package var quoted: String { SQLIdentifier.quoted(name) }

    /// The name of the property that a program knows; that of the to-one relationship for a position.
    package var propertyName: String {
        name.hasPrefix(Self.positionPrefix)
            ? String(name.dropFirst(Self.positionPrefix.count)) : name
    }
}

/// A relationship compiled for its model.
package struct RelationshipLayout: Sendable {
    package enum Storage: Sendable {
        /// A foreign key in a column of the source's row.
        case column(Int)
        /// A foreign key in a column of the destination's rows, and the column of the position if the
        /// relationship is ordered.
        case inverseColumn(Int, position: Int?)
        /// A join table; forward if the relationship's owner is its `source`.
        case link(Int, isForward: Bool)
    }

    package let index: Int
    package let name: String
    package let isToMany: Bool
    let isOptional: Bool
    package let isOrdered: Bool
    package let deleteRule: DeleteRule
    package let destination: Int
    /// The index of the inverse among the relationships of the destination.
    package let inverse: Int?
    package let storage: Storage
    /// A Boolean value that indicates whether the relationship is its own inverse.
    package let isSymmetric: Bool
    /// A Boolean value that indicates whether the relationship and its inverse are to-one.
    package let isOneToOne: Bool
    /// The form of references in representations; `nil` if they contain objects.
    package var reference: ReferenceLayout?

    /// A Boolean value that indicates whether a destination can have one owner only.
    package var isExclusive: Bool {
        if case .inverseColumn = storage { return true }
        return isOneToOne
    }

    /// A Boolean value that indicates whether the relationship's owner is the source of its join
    /// table.
    package var isForward: Bool {
        guard case .link(_, let isForward) = storage else { return true }
        return isForward
    }

    /// A Boolean value that indicates whether an object needs a destination that refers to it.
    package var isRequiredInverse: Bool {
        guard case .inverseColumn = storage else { return false }
        return !isToMany && !isOptional
    }
}

/// A join table.
@usableFromInline package struct LinkLayout: Sendable {
    /// The column of a target's position among the targets of its source.
    static let targetPosition = "target_position"
    /// The column of a source's position among the sources of its target.
    static let sourcePosition = "source_position"

    let table: String
    /// The name of the relationship whose owner is the source.
    package let relationship: String
    package let source: Int
    package let target: Int
    /// A Boolean value that indicates whether the targets of a source have an order.
    var isTargetOrdered = false
    /// A Boolean value that indicates whether the sources of a target have an order.
    var isSourceOrdered = false

    package var quoted: String { SQLIdentifier.quoted(table) }
}
