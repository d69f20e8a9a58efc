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
}
