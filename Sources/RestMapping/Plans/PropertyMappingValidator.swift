// SPDX-License-Identifier: Apache-2.0

/// Validates the property mappings of one mapping.
struct PropertyMappingValidator {
    /// A property of the mapping's table and, for a dotted name, the rest of the name.
    struct Destination {
        let property: Int
        let rest: String?
    }

    private let mapping: ObjectMapping
    private var mappedNames = Set<String>()
    private(set) var diagnostics: [PlanDiagnostic] = []

    init(_ mapping: ObjectMapping) {
        self.mapping = mapping
    }

    mutating func diagnose(
        _ code: PlanDiagnostic.Code, _ name: String, _ suggestion: String? = nil
    ) {
        diagnostics.append(
            PlanDiagnostic(
                code: code, mapping: mapping.table.name, name: name, suggestion: suggestion))
    }

    /// Returns the property that a name stands for; `nil` with a diagnostic if there is none, or if it is
    /// mapped already.
    mutating func destination(_ name: String) -> Destination? {
        var found = mapping.table.index(of: name).map { Destination(property: $0, rest: nil) }
        if found == nil, let dot = name.firstIndex(of: "."),
            let index = mapping.table.index(of: String(name[..<dot]))
        {
            found = Destination(property: index, rest: String(name[name.index(after: dot)...]))
        }
        guard let found else {
            let known = mapping.table.properties.map(\.name)
            diagnose(.unknownProperty, name, PlanDiagnostic.nearest(to: name, among: known))
            return nil
        }
        if mappedNames.insert(name).inserted { return found }
        diagnose(.ambiguousDestination, name)
        return nil
    }

    /// Returns the relation of a relationship's property; `nil` with a diagnostic if its mapping does not
    /// fit.
    mutating func relation(of relationship: RelationshipMapping, at property: Int) -> Relation? {
        guard let relation = mapping.table.properties[property].relation else {
            diagnose(.notARelationship, relationship.destination)
            return nil
        }
        if relationship.assignment == .union, !relation.isToMany {
            diagnose(.invalidAssignmentPolicy, relationship.destination)
            return nil
        }
        for nested in relationship.mapping?.tables ?? [] where !relation.table.holds(nested) {
            diagnose(.wrongSubject, relationship.destination, relation.table.name)
            return nil
        }
        return relation
    }

    mutating func validatePlaceholders(of source: SourcePath) {
        for case .placeholder(let name) in source.components
        where name != mapping.nestingAttribute {
            diagnose(.unknownPlaceholder, "{\(name)}", mapping.nestingAttribute)
        }
    }

    /// Compares the types of transforms, defaults and validations with those of the properties.
    mutating func validateTypes() {
        for attribute in mapping.attributes {
            guard let type = mapping.table.valueType(of: attribute.destination) else { continue }
            if let result = attribute.transform?.valueType, result != type,
                result != OptionalTypes.wrapped(type)
            {
                diagnose(.unsuitableType, attribute.destination, "transform")
            }
            if let value = attribute.defaultValue, Swift.type(of: value) != type,
                Swift.type(of: value) != OptionalTypes.wrapped(type)
            {
                diagnose(.unsuitableType, attribute.destination, "default")
            }
        }
        for (name, validation) in mapping.validations.sorted(by: { $0.key < $1.key }) {
            guard !name.contains(".") else { continue }
            guard mapping.table.index(of: name) != nil else {
                let known = mapping.table.properties.map(\.name)
                diagnose(.unknownProperty, name, PlanDiagnostic.nearest(to: name, among: known))
                continue
            }
            if let type = mapping.table.valueType(of: name), validation.valueType != type {
                diagnose(.unsuitableType, name, "validation")
            }
        }
    }
}

extension PropertyTable {
    /// The type of a property; `nil` if it is known at run time only.
    fileprivate func valueType(of name: String) -> (any Any.Type)? {
        index(of: name).flatMap { properties[$0].valueType }
    }
}
