// SPDX-License-Identifier: Apache-2.0

/// Finds the mistakes in the lines of one mapping.
struct LineCheck {
    /// A property of the mapping's table and, for a dotted name, what follows it.
    struct Destination {
        let property: Int
        let rest: String?
    }

    private let mapping: ObjectMapping
    private var taken = Set<String>()
    private(set) var diagnostics: [PlanDiagnostic] = []

    init(_ mapping: ObjectMapping) {
        self.mapping = mapping
    }

    mutating func complain(
        _ code: PlanDiagnostic.Code, _ name: String, _ suggestion: String? = nil
    ) {
        diagnostics.append(
            PlanDiagnostic(
                code: code, mapping: mapping.table.name, name: name, suggestion: suggestion))
    }

    /// The property a name means; nil with a complaint if there is none, or none left.
    mutating func destination(_ name: String) -> Destination? {
        var found = mapping.table.index(of: name).map { Destination(property: $0, rest: nil) }
        if found == nil, let dot = name.firstIndex(of: "."),
            let index = mapping.table.index(of: String(name[..<dot]))
        {
            found = Destination(property: index, rest: String(name[name.index(after: dot)...]))
        }
        guard let found else {
            let known = mapping.table.properties.map(\.name)
            complain(.unknownProperty, name, PlanDiagnostic.nearest(to: name, among: known))
            return nil
        }
        if taken.insert(name).inserted { return found }
        complain(.ambiguousDestination, name)
        return nil
    }

    /// What a relationship's property holds; nil with a complaint if its mapping does not fit.
    mutating func relation(of relationship: RelationshipMapping, at property: Int) -> Relation? {
        guard let relation = mapping.table.properties[property].relation else {
            complain(.notARelationship, relationship.destination)
            return nil
        }
        if relationship.assignment == .union, !relation.isToMany {
            complain(.invalidAssignmentPolicy, relationship.destination)
            return nil
        }
        for nested in relationship.mapping?.tables ?? [] where !relation.table.holds(nested) {
            complain(.wrongSubject, relationship.destination, relation.table.name)
            return nil
        }
        return relation
    }

    mutating func check(placeholdersOf source: SourcePath) {
        for case .placeholder(let name) in source.components
        where name != mapping.nestingAttribute {
            complain(.unknownPlaceholder, "{\(name)}", mapping.nestingAttribute)
        }
    }

    /// Compares the types of transforms, defaults and validations with those of the properties.
    mutating func checkTypes() {
        for attribute in mapping.attributes {
            guard let type = mapping.table.valueType(of: attribute.destination) else { continue }
            if let made = attribute.transform?.valueType, made != type {
                complain(.unsuitableType, attribute.destination, "transform")
            }
            if let value = attribute.defaultValue, Swift.type(of: value) != type,
                Swift.type(of: value) != OptionalTypes.wrapped(type)
            {
                complain(.unsuitableType, attribute.destination, "default")
            }
        }
        for (name, validation) in mapping.validations.sorted(by: { $0.key < $1.key }) {
            guard !name.contains(".") else { continue }
            guard mapping.table.index(of: name) != nil else {
                let known = mapping.table.properties.map(\.name)
                complain(.unknownProperty, name, PlanDiagnostic.nearest(to: name, among: known))
                continue
            }
            if let type = mapping.table.valueType(of: name), validation.valueType != type {
                complain(.unsuitableType, name, "validation")
            }
        }
    }
}

extension PropertyTable {
    /// The type of a property; nil if it is known at run time only.
    fileprivate func valueType(of name: String) -> (any Any.Type)? {
        index(of: name).flatMap { properties[$0].valueType }
    }

}
