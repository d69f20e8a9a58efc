// SPDX-License-Identifier: Apache-2.0

extension PlanDraft {
    /// Compiles the property mappings of a mapping, those with a dotted destination last.
    mutating func compile(_ mapping: ObjectMapping, into object: Int, conversion: Int) {
        var validator = PropertyMappingValidator(mapping)
        if mapping.forcesCollection { objects[object].isForced = true }
        compileNesting(of: mapping, into: object, &validator)
        var nested: [(property: Int, mapping: ObjectMapping)] = []
        for propertyMapping in mapping.propertyMappings {
            let source = propertyMapping.source
            if let diagnostic = source.orderDiagnostic {
                validator.diagnose(.invalidSource, "\(source)", diagnostic)
            }
            validator.validatePlaceholders(of: source)
            guard let destination = validator.destination(propertyMapping.destination) else {
                continue
            }
            guard destination.rest == nil else {
                add(propertyMapping, at: destination, of: mapping, to: &nested, &validator)
                continue
            }
            switch propertyMapping {
            case .attribute(let attribute):
                compile(attribute, at: destination.property, of: mapping, into: object, conversion)
            case .relationship(let relationship):
                compile(
                    relationship, at: destination.property, of: mapping, into: object, conversion,
                    &validator)
            }
        }
        for (property, mapping) in nested {
            let related = self.object(for: mapping)
            add(
                Step(
                    property: property, object: related, ordinal: -1,
                    detail: StepDetail(
                        kind: .nestedProperties, source: .whole,
                        destination: objects[object].table.properties[property].name)),
                at: .whole, to: object)
        }
        validator.validateTypes()
        diagnostics += validator.diagnostics
    }

    private mutating func compile(
        _ attribute: AttributeMapping, at property: Int, of mapping: ObjectMapping,
        into object: Int, _ conversion: Int
    ) {
        let declared = mapping.table.properties[property]
        var transform = attribute.transform ?? declared.transform
        var related = -1
        if transform == nil, let relation = declared.relation {
            related = defaultObject(relation, inheriting: conversion)
        } else if transform == nil, let mappingTransform = mapping.conversion.mappingTransform {
            transform = mappingTransform.propertyTransform(for: declared.valueType)
        }
        var detail = StepDetail(
            kind: .attribute, source: attribute.source, destination: attribute.destination)
        detail.transform = transform
        detail.missing = mapping.assignsDefaultForMissing ? .assignDefault : .keep
        detail.defaultValue = attribute.defaultValue
        detail.validation = mapping.validation(of: attribute.destination)
        add(
            Step(
                property: property, object: related, ordinal: -1, detail: detail,
                policy: attribute.policy ?? declared.policy),
            at: attribute.source, to: object)
    }

    private mutating func compile(
        _ relationship: RelationshipMapping, at property: Int, of mapping: ObjectMapping,
        into object: Int, _ conversion: Int, _ validator: inout PropertyMappingValidator
    ) {
        guard let relation = validator.relation(of: relationship, at: property) else { return }
        let related: Int
        if let nested = relationship.mapping {
            related = self.object(
                for: nested, table: relation.table, policy: mapping.policy,
                conversion: objects[conversion].conversion)
        } else {
            related = defaultObject(relation, inheriting: conversion)
        }
        var detail = StepDetail(
            kind: .relationship, source: relationship.source,
            destination: relationship.destination)
        detail.assignment = relationship.assignment
        detail.missing =
            mapping.assignsNilForMissingRelationships && relationship.assignment != .union
            ? .assignNil : .keep
        detail.validation = mapping.validation(of: relationship.destination)
        add(
            Step(property: property, object: related, ordinal: -1, detail: detail),
            at: relationship.source, to: object)
    }

    /// Compiles the nesting attribute: the key of the representation is assigned to its property, and
    /// sources with the placeholder are looked up in the value of the key.
    private mutating func compileNesting(
        of mapping: ObjectMapping, into object: Int, _ validator: inout PropertyMappingValidator
    ) {
        guard let name = mapping.nestingAttribute,
            let property = validator.destination(name), property.rest == nil
        else { return }
        let inner = intermediateObject(of: object)
        var detail = StepDetail(
            kind: .attribute, source: SourcePath([.placeholder(name)]), destination: name)
        detail.validation = mapping.validation(of: name)
        let step = Step(
            property: property.property, object: -1, ordinal: objects[object].stepCount,
            detail: detail)
        objects[object].stepCount += 1
        objects[object].nested = (inner, step)
    }

    /// Adds a property mapping with a dotted destination to the mapping of the object it leads into.
    private func add(
        _ propertyMapping: PropertyMapping, at destination: PropertyMappingValidator.Destination,
        of mapping: ObjectMapping, to nested: inout [(property: Int, mapping: ObjectMapping)],
        _ validator: inout PropertyMappingValidator
    ) {
        let property = mapping.table.properties[destination.property]
        guard let rest = destination.rest else { return }
        guard let relation = property.relation, !relation.isToMany else {
            return validator.diagnose(.notARelationship, property.name)
        }
        var index = nested.firstIndex { $0.property == destination.property }
        if index == nil {
            var inner = ObjectMapping(
                table: relation.table, policy: mapping.policy, conversion: mapping.conversion)
            inner.performsValidation = mapping.performsValidation
            for (name, validation) in mapping.validations
            where name.hasPrefix(property.name + ".") {
                inner.validations[String(name.dropFirst(property.name.count + 1))] = validation
            }
            nested.append((destination.property, inner))
            index = nested.count - 1
        }
        if let index { nested[index].mapping.add(propertyMapping.renamed(to: rest)) }
    }
}

extension ObjectMapping {
    fileprivate func validation(of destination: String) -> (any ErasedValidation)? {
        performsValidation ? validations[destination] : nil
    }
}
