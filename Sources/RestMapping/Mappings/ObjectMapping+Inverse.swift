// SPDX-License-Identifier: Apache-2.0

extension ObjectMapping {
    /// The request mapping that writes what this mapping reads.
    ///
    /// Each property goes where its value comes from; the key of a nesting attribute and a property
    /// fed by the representation itself become keys, as RestKit inverts them. Date formats are kept,
    /// other transforms are not: they lead one way. What is not a chain of keys, such as an operator
    /// or metadata, has no place to be written to and is left out, as are relationships of a dynamic
    /// mapping. Nil is written as null.
    ///
    /// A type that relates to itself by its default mapping is inverted like any other.
    ///
    /// - Parameter isIncluded: Is asked about every line of this mapping and of those nested in it.
    /// - Returns: The request mapping; two properties of one source are a mistake that compiling it
    ///   reports.
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
        for line in propertyMappings where isIncluded(line) && line.source.isInvertible {
            switch line {
            case .attribute(let attribute):
                let format = (attribute.transform as? TransformerHook)?.transformer as? DateFormat
                inverse.add(
                    RequestAttribute(
                        attribute.destination, to: attribute.source,
                        form: format.map { .dates($0) }))
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
    /// Whether the source is a place that can be written to.
    fileprivate var isInvertible: Bool {
        components.allSatisfy { component in
            switch component {
            case .key, .placeholder: true
            case .index, .metadata, .root, .parent, .collected: false
            }
        }
    }
}
