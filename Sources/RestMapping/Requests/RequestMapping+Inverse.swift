// SPDX-License-Identifier: Apache-2.0

extension ObjectMapping {
    /// Returns the request mapping that writes the representations that this mapping reads.
    ///
    /// Each property is written to the path that its value comes from, and back by its transform if
    /// that converts in both directions. Date formats are kept, and so are the nesting attribute and
    /// the list of members. A value of the whole representation is written in place of the object
    /// if nothing else is. A path that cannot be written to is left out: one with steps other than
    /// keys, unless each property has a position in a list. Relationships of a dynamic mapping are
    /// left out too. Nil is written as null.
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
        inverse.dates =
            conversion.dates.preferred
            ?? (conversion.hasDates ? conversion.dates.formats.first : nil)
        inverse.nestingAttribute = nestingAttribute
        inverse.forcesCollection = forcesCollection
        for mapping in invertible(propertyMappings.filter(isIncluded)) {
            switch mapping {
            case .attribute(let attribute):
                inverse.add(
                    RequestAttribute(
                        attribute.destination, to: attribute.source,
                        conversion: requestConversion(of: attribute)))
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

extension ObjectMapping {
    /// Returns the property mappings whose sources can be written to together.
    private func invertible(_ mappings: [PropertyMapping]) -> [PropertyMapping] {
        if nestingAttribute == nil, mappings.allSatisfy(\.source.isPosition) { return mappings }
        let writable = mappings.filter(\.source.isInvertible)
        let hasKeys =
            nestingAttribute != nil || writable.contains { !$0.source.components.isEmpty }
        return hasKeys
            ? writable.filter { !$0.source.components.isEmpty } : Array(writable.prefix(1))
    }

    /// Returns the conversion that is the opposite of the attribute's: of its own transform, of the
    /// property's, or of the mapping's.
    private func requestConversion(
        of attribute: AttributeMapping
    ) -> RequestConversion? {
        let property = table.property(at: attribute.destination)
        let type = property?.valueType
        if let transform = attribute.transform {
            return transform.requestConversion(for: type) ?? .ofType
        }
        if property?.transform != nil { return nil }
        let transform = conversion.mappingTransform?.propertyTransform(for: type)
        return transform?.requestConversion(for: type)
    }
}

extension PropertyTable {
    /// Returns the property of a name, which may be dotted; nil if there is none.
    fileprivate func property(at name: String) -> Property? {
        if let index = index(of: name) { return properties[index] }
        guard let dot = name.firstIndex(of: "."), let index = index(of: String(name[..<dot]))
        else { return nil }
        return properties[index].relation?.table.property(
            at: String(name[name.index(after: dot)...]))
    }
}

extension SourcePath {
    /// A Boolean value that indicates whether the path can be written to.
    var isInvertible: Bool {
        components.allSatisfy { component in
            switch component {
            case .key, .placeholder: true
            case .index, .metadata, .root, .parent, .collected: false
            }
        }
    }

    /// A Boolean value that indicates whether the path is a position in a list.
    var isPosition: Bool {
        guard components.count == 1, case .index = components[0] else { return false }
        return true
    }
}
