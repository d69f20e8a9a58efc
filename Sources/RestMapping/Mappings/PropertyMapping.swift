// SPDX-License-Identifier: Apache-2.0

/// A mapping of one property: an attribute or a relationship.
public enum PropertyMapping: Sendable, Equatable {
    /// A property that holds a plain value.
    case attribute(AttributeMapping)
    /// A property that holds related objects.
    case relationship(RelationshipMapping)

    /// The path of the value.
    public var source: SourcePath {
        switch self {
        case .attribute(let attribute): attribute.source
        case .relationship(let relationship): relationship.source
        }
    }

    /// The name of the property.
    public var destination: String {
        switch self {
        case .attribute(let attribute): attribute.destination
        case .relationship(let relationship): relationship.destination
        }
    }

    /// Returns the same mapping for another property.
    func renamed(to destination: String) -> PropertyMapping {
        switch self {
        case .attribute(let attribute): .attribute(attribute.renamed(to: destination))
        case .relationship(let relationship): .relationship(relationship.renamed(to: destination))
        }
    }
}
