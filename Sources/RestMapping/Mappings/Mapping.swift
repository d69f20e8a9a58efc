// SPDX-License-Identifier: Apache-2.0

/// A mapping of any kind from representations to objects.
///
/// Functions that accept a mapping accept this type, or a ``MappingConvertible`` of any kind.
public enum Mapping: Sendable, Equatable {
    /// One mapping for all representations.
    case object(ObjectMapping)
    /// A mapping that is chosen for each representation.
    case dynamic(DynamicMapping)
    /// A type that decodes itself.
    case codable(CodableMapping)

    /// The types or entities of the objects, except for those that a dynamic mapping does not
    /// declare.
    public var tables: [PropertyTable] {
        switch self {
        case .object(let mapping): [mapping.table]
        case .dynamic(let mapping): mapping.possibleMappings.map(\.table)
        case .codable(let mapping): [mapping.table]
        }
    }

    /// The names of the types or entities: `Article`, or `Girl or Boy`.
    public var name: String {
        let names = tables.map(\.name)
        return names.isEmpty ? "objects chosen later" : names.joined(separator: " or ")
    }

    /// Returns a Boolean value that indicates whether the mapping may create objects of a table.
    ///
    /// True if one of the types is the table's type or inherits from it, and for a dynamic mapping
    /// that does not declare its possible mappings.
    package func mayCreate(_ table: PropertyTable) -> Bool {
        let tables = tables
        return tables.isEmpty || tables.contains { table.holds($0) }
    }
}
