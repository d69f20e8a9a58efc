// SPDX-License-Identifier: Apache-2.0

/// How a representation becomes an object: always the same way, as the representation decides, or
/// by the code of its type.
///
/// What takes a mapping takes this one, or a ``DeclaredMapping`` of whichever kind.
public enum Mapping: Sendable, Equatable {
    /// One mapping for all representations.
    case object(ObjectMapping)
    /// The mapping is chosen for each representation.
    case dynamic(DynamicMapping)
    /// A type that decodes itself.
    case codable(CodableMapping)

    /// The types or entities of the objects that are made; those a dynamic mapping does not name
    /// beforehand are not among them.
    public var tables: [PropertyTable] {
        switch self {
        case .object(let mapping): [mapping.table]
        case .dynamic(let mapping): mapping.possibleMappings.map(\.table)
        case .codable(let mapping): [mapping.table]
        }
    }

    /// What is made, in words: `Article`, or `Girl or Boy`.
    public var name: String {
        let names = tables.map(\.name)
        return names.isEmpty ? "objects chosen later" : names.joined(separator: " or ")
    }

    /// Whether the objects that are made may be those of a table.
    ///
    /// True if one of them is, or inherits from its type, and for a dynamic mapping that does not
    /// say what it may choose.
    package func mayMake(_ table: PropertyTable) -> Bool {
        let tables = tables
        return tables.isEmpty || tables.contains { table.holds($0) }
    }
}

/// A mapping of one kind, which every place that takes a ``Mapping`` takes as well.
public protocol DeclaredMapping: Sendable {
    /// The mapping as one of all kinds.
    var mapping: Mapping { get }
}

extension ObjectMapping: DeclaredMapping {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .object(self) }
}

extension DynamicMapping: DeclaredMapping {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .dynamic(self) }
}

extension CodableMapping: DeclaredMapping {
    /// The mapping as one of all kinds.
    public var mapping: Mapping { .codable(self) }
}

/// One line of a mapping.
public enum PropertyMapping: Sendable, Equatable {
    /// A property fed by a plain value.
    case attribute(AttributeMapping)
    /// A property fed by related objects.
    case relationship(RelationshipMapping)

    /// Where the value sits.
    public var source: SourcePath {
        switch self {
        case .attribute(let attribute): attribute.source
        case .relationship(let relationship): relationship.source
        }
    }

    /// Name of the property.
    public var destination: String {
        switch self {
        case .attribute(let attribute): attribute.destination
        case .relationship(let relationship): relationship.destination
        }
    }

    /// The same line for another property.
    func renamed(to destination: String) -> PropertyMapping {
        switch self {
        case .attribute(let attribute): .attribute(attribute.renamed(to: destination))
        case .relationship(let relationship): .relationship(relationship.renamed(to: destination))
        }
    }
}
