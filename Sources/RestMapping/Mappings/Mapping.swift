// SPDX-License-Identifier: Apache-2.0

/// How a representation becomes an object: always the same way, or as the representation decides.
///
/// A `Codable` type as a whole mapping is to become a third case, compiled to an object of the plan
/// whose values are decoded instead of walked.
public enum Mapping: Sendable, Equatable {
    /// One mapping for all representations.
    case object(ObjectMapping)
    /// The mapping is chosen for each representation.
    case dynamic(DynamicMapping)
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
