// SPDX-License-Identifier: Apache-2.0

extension PlanDraft {
    /// Compiles the lines of a mapping, those that feed parts of held objects last.
    mutating func compile(_ mapping: ObjectMapping, into object: Int, conversion: Int) {
        var lines = LineCheck(mapping)
        objects[object].isForced = mapping.forcesCollection
        nest(mapping, into: object, &lines)
        var parts: [(property: Int, mapping: ObjectMapping)] = []
        for line in mapping.propertyMappings {
            if let mistake = line.source.mistake {
                lines.complain(.invalidSource, "\(line.source)", mistake)
            }
            lines.check(placeholdersOf: line.source)
            guard let destination = lines.destination(line.destination) else { continue }
            guard destination.rest == nil else {
                add(line, at: destination, of: mapping, to: &parts, &lines)
                continue
            }
            switch line {
            case .attribute(let attribute):
                compile(attribute, at: destination.property, of: mapping, into: object, conversion)
            case .relationship(let relationship):
                compile(
                    relationship, at: destination.property, of: mapping, into: object, conversion,
                    &lines)
            }
        }
        for part in parts {
            let related = self.object(for: part.mapping)
            add(
                Step(
                    property: part.property, object: related, ordinal: -1,
                    detail: StepDetail(
                        kind: .part, source: .whole,
                        destination: mapping.table.properties[part.property].name)),
                at: .whole, to: object)
        }
        lines.checkTypes()
        diagnostics += lines.diagnostics
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
        } else if transform == nil, let transformer = mapping.conversion.transformer {
            transform = TransformerHook(
                transformer: transformer, ofMappingFor: declared.valueType)
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
        into object: Int, _ conversion: Int, _ lines: inout LineCheck
    ) {
        guard let relation = lines.relation(of: relationship, at: property) else { return }
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

    /// Makes the key of the representation feed its property, and its value the place that sources
    /// with the placeholder are looked up in.
    private mutating func nest(
        _ mapping: ObjectMapping, into object: Int, _ lines: inout LineCheck
    ) {
        guard let name = mapping.nestingAttribute,
            let property = lines.destination(name), property.rest == nil
        else { return }
        let inner = passedObject(of: object)
        var detail = StepDetail(
            kind: .attribute, source: SourcePath([.placeholder(name)]), destination: name)
        detail.validation = mapping.validation(of: name)
        let step = Step(
            property: property.property, object: -1, ordinal: objects[object].stepCount,
            detail: detail)
        objects[object].stepCount += 1
        objects[object].nested = (inner, step)
    }

    /// Adds a line with a dotted destination to the mapping of the object it leads into.
    private func add(
        _ line: PropertyMapping, at destination: LineCheck.Destination, of mapping: ObjectMapping,
        to parts: inout [(property: Int, mapping: ObjectMapping)], _ lines: inout LineCheck
    ) {
        let property = mapping.table.properties[destination.property]
        guard let rest = destination.rest else { return }
        guard let relation = property.relation, !relation.isToMany else {
            return lines.complain(.notARelationship, property.name)
        }
        var index = parts.firstIndex { $0.property == destination.property }
        if index == nil {
            var part = ObjectMapping(
                table: relation.table, policy: mapping.policy, conversion: mapping.conversion)
            part.performsValidation = mapping.performsValidation
            for (name, validation) in mapping.validations
            where name.hasPrefix(property.name + ".") {
                part.validations[String(name.dropFirst(property.name.count + 1))] = validation
            }
            parts.append((destination.property, part))
            index = parts.count - 1
        }
        if let index { parts[index].mapping.add(line.renamed(to: rest)) }
    }
}

extension ObjectMapping {
    fileprivate func validation(of destination: String) -> (any ErasedValidation)? {
        performsValidation ? validations[destination] : nil
    }
}
