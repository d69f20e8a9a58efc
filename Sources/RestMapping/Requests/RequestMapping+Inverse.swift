// SPDX-License-Identifier: Apache-2.0

extension ObjectMapping {
    /// Returns the request mapping that writes the representations that this mapping reads.
    ///
    /// Each property is written to the path that its value comes from. The key of a nesting
    /// attribute, and a property that is mapped from the representation itself, become keys, as in
    /// RestKit. Date formats are kept; other transforms are not, because they convert in one
    /// direction. A path with steps other than keys, such as an operator or metadata, cannot be
    /// written to and is left out, as are relationships of a dynamic mapping. Nil is written as
    /// null.
    ///
    /// A type that relates to itself by its default mapping is inverted like any other.
    ///
    /// - Parameter isIncluded: Returns whether to include a property mapping; it is called for each
    ///   one of this mapping and of the mappings nested in it.
    /// - Returns: The request mapping. Two properties with one source are an error that compiling
    ///   the mapping reports.
    public func inverse(
        including isIncluded: (PropertyMapping) -> Bool = { _ in true }
    ) -> RequestMapping {
        var inverse = RequestMapping(table: table)
        if let format = conversion.dates.preferred ?? conversion.dates.formats.first {
            inverse.dates = format
        }
        if let nestingAttribute {
            inverse.add(RequestAttribute(nestingAttribute, to: .whole))
        }
        for mapping in propertyMappings where isIncluded(mapping) && mapping.source.isInvertible {
            switch mapping {
            case .attribute(let attribute):
                let format = attribute.transform?.dateFormat
                inverse.add(
                    RequestAttribute(
                        attribute.destination, to: attribute.source,
                        conversion: format.map { .dates($0) }))
            case .relationship(let relationship):
                switch relationship.mapping {
                case .object(let mapping):
                    inverse.add(
                        RequestRelationship(
                            relationship.destination, to: relationship.source,
                            mapping: mapping.inverse(including: isIncluded)))
                case nil:
                    inverse.add(
                        RequestRelationship(relationship.destination, to: relationship.source))
                case .codable(let mapping):
                    inverse.add(
                        RequestRelationship(
                            relationship.destination, to: relationship.source,
                            mapping: .codable(mapping)))
                case .dynamic: break
                }
            }
        }
        return inverse
    }
}

extension SourcePath {
    /// A Boolean value that indicates whether the path can be written to.
    fileprivate var isInvertible: Bool {
        components.allSatisfy { component in
            switch component {
            case .key, .placeholder: true
            case .index, .metadata, .root, .parent, .collected: false
            }
        }
    }
}
