// SPDX-License-Identifier: Apache-2.0

/// A compiler of the property mappings of one request mapping.
struct RequestPropertyCompiler {
    let mapping: RequestMapping
    /// The index of the object that the property mappings belong to.
    let object: Int
    /// The index of the mapping's table in the plan.
    let table: Int
    /// The names of the entities that the object is part of, including its own.
    let enclosing: Set<String>
    /// The index of the value options of the whole mapping; -1 for the standard options.
    private var options = -1
    /// The nested objects by the keys that lead to them.
    private var nested: [[RequestPlanCompiler.Key]: Int] = [:]
    private var taken = Set<[RequestPlanCompiler.Key]>()
    /// The values of a list by position.
    private var elements: [Int: RequestStep] = [:]

    init(mapping: RequestMapping, object: Int, table: Int, enclosing: Set<String>) {
        self.mapping = mapping
        self.object = object
        self.table = table
        self.enclosing = enclosing
    }

    mutating func compile(into compiler: inout RequestPlanCompiler) {
        if mapping.dates != nil || mapping.decimals != .text {
            options = compiler.add(mappingOptions)
        }
        if mapping.forcesCollection { compiler.set(.memberList, of: object) }
        if let name = mapping.nestingAttribute {
            if let index = mapping.table.index(of: name) {
                _ = nestedObject([.property(index)], name, &compiler)
            } else {
                let names = mapping.table.properties.map(\.name)
                diagnose(
                    .unknownProperty, name, PlanDiagnostic.nearest(to: name, among: names),
                    &compiler)
            }
        }
        for propertyMapping in mapping.propertyMappings {
            switch propertyMapping {
            case .attribute(let attribute): compile(attribute, into: &compiler)
            case .relationship(let relationship): compile(relationship, into: &compiler)
            }
        }
        addElements(to: &compiler)
    }

    private var mappingOptions: RequestValueOptions {
        RequestValueOptions(dates: mapping.dates, hasNumericDecimals: mapping.decimals == .number)
    }

    // MARK: Property mappings

    private mutating func compile(
        _ attribute: RequestAttribute, into compiler: inout RequestPlanCompiler
    ) {
        guard let path = properties(of: attribute.source, &compiler), let last = path.last else {
            return
        }
        var step = RequestStep(
            property: last.index, options: self.options, omitsNil: mapping.omitsNil)
        convert(&step, by: attribute.conversion ?? last.property.requestConversion, &compiler)
        if let relation = last.property.relation {
            step.object = Int32(defaultObject(of: relation, &compiler))
        }
        add(step, along: path, to: attribute.destination, attribute.source, &compiler)
    }

    private func convert(
        _ step: inout RequestStep, by conversion: RequestConversion?,
        _ compiler: inout RequestPlanCompiler
    ) {
        var options = mappingOptions
        switch conversion {
        case .transform(let transform):
            options.transform = transform
            step.isTransformed = true
        case .dates(let dates): options.dates = dates
        case .numericDecimals: options.hasNumericDecimals = true
        case .ofType, nil: return
        }
        step.options = Int32(compiler.add(options))
    }

    private mutating func compile(
        _ relationship: RequestRelationship, into compiler: inout RequestPlanCompiler
    ) {
        guard let path = properties(of: relationship.source, &compiler), let last = path.last else {
            return
        }
        if relationship.mapping == nil, last.property.requestConversion != nil {
            // The property holds results of a transform, which converts them back.
            return compile(
                RequestAttribute(relationship.source, to: relationship.destination),
                into: &compiler)
        }
        guard let relation = last.property.relation else {
            return diagnose(.notARelationship, relationship.source, nil, &compiler)
        }
        let related: Int
        switch relationship.mapping {
        case let mapping? where !mapping.isSuitable(for: relation.table):
            return diagnose(.wrongSubject, relationship.source, relation.table.name, &compiler)
        case .request(let mapping)? where !relation.table.isSame(as: mapping.table):
            var chosen = DynamicRequestMapping(table: relation.table)
            chosen.add(mapping)
            related = compiler.object(for: .dynamic(chosen))
        case let mapping?: related = compiler.object(for: mapping)
        case nil: related = defaultObject(of: relation, &compiler)
        }
        var options = options
        if case .codable(let mapping)? = relationship.mapping {
            var codableOptions = mappingOptions
            codableOptions.codable = mapping
            options = compiler.add(codableOptions)
        }
        let step = RequestStep(
            property: last.index, object: related, options: options, omitsNil: true)
        add(step, along: path, to: relationship.destination, relationship.source, &compiler)
    }

    /// Returns the object for related objects whose mapping is not declared: the attribute that
    /// representations refer to them by, if their relation declares one, or else their default mapping.
    private func defaultObject(
        of relation: Relation, _ compiler: inout RequestPlanCompiler
    ) -> Int {
        guard let index = relation.referenceProperty else {
            return compiler.defaultObject(
                for: relation.table, like: mapping, within: enclosing)
        }
        let step = RequestStep(property: index, options: options, omitsNil: false)
        return compiler.projection(of: step, table: compiler.table(relation.table))
    }

    // MARK: Sources

    private struct PathStep {
        let index: Int
        let property: Property
        let table: PropertyTable
    }

    /// Returns the properties along a dotted name.
    private func properties(
        of name: String, _ compiler: inout RequestPlanCompiler
    ) -> [PathStep]? {
        var path: [PathStep] = []
        var table = mapping.table
        let parts = table.index(of: name) == nil ? name.split(separator: ".") : [name[...]]
        for part in parts {
            if let last = path.last {
                guard let relation = last.property.relation else {
                    diagnose(.notARelationship, last.property.name, nil, &compiler)
                    return nil
                }
                table = relation.table
            }
            guard let index = table.index(of: String(part)) else {
                let suggestion = PlanDiagnostic.nearest(
                    to: String(part), among: table.properties.map(\.name))
                diagnose(.unknownProperty, name, suggestion, &compiler)
                return nil
            }
            path.append(PathStep(index: index, property: table.properties[index], table: table))
        }
        return path
    }

    // MARK: Destinations

    /// Adds a value at its destination, behind the objects along its property path.
    private mutating func add(
        _ step: RequestStep, along path: [PathStep], to destination: SourcePath, _ name: String,
        _ compiler: inout RequestPlanCompiler
    ) {
        var step = step
        for part in path.dropLast().reversed() {
            let projection = compiler.projection(of: step, table: table)
            step = RequestStep(
                property: part.index, object: projection, options: options,
                omitsNil: step.omitsNil)
        }
        switch destination.components.first {
        case nil:
            guard mapping.propertyMappings.count == 1, mapping.nestingAttribute == nil else {
                return diagnose(.ambiguousDestination, name, nil, &compiler)
            }
            return compiler.replace(object, by: step)
        case .index(let position) where mapping.isPositional:
            guard elements.updateValue(step, forKey: position) == nil else {
                return diagnose(.ambiguousDestination, "\(destination)", nil, &compiler)
            }
            return
        default: break
        }
        guard let keys = keys(of: destination, &compiler), let last = keys.last else { return }
        guard let parent = nestedObject(Array(keys.dropLast()), name, &compiler) else { return }
        guard taken.insert(keys).inserted, nested[keys] == nil else {
            return diagnose(.ambiguousDestination, "\(destination)", nil, &compiler)
        }
        if case .property(let index) = last {
            let value = compiler.projection(of: step, table: table)
            step = RequestStep(
                property: index, object: value, options: options, action: .nestedUnderValue,
                omitsNil: false)
        }
        compiler.add(RequestPlanCompiler.Member(key: last, step: step), to: parent)
    }

    /// Replaces the object by a list if its values have positions; an element without a value is null.
    private func addElements(to compiler: inout RequestPlanCompiler) {
        guard let last = elements.keys.max() else { return }
        compiler.set(.elements, of: object)
        for position in 0...last {
            let step = elements[position] ?? RequestStep(property: -1, omitsNil: false)
            compiler.add(
                RequestPlanCompiler.Member(key: .element(position), step: step), to: object)
        }
    }

    /// Returns the object at the end of some keys, which is added if it is missing; nil if a value
    /// is at one of the keys.
    private mutating func nestedObject(
        _ keys: [RequestPlanCompiler.Key], _ name: String, _ compiler: inout RequestPlanCompiler
    ) -> Int? {
        var parent = object
        for count in keys.indices.map({ $0 + 1 }) {
            let prefix = Array(keys.prefix(count))
            if let known = nested[prefix] {
                parent = known
                continue
            }
            guard !taken.contains(prefix), let key = prefix.last else {
                diagnose(.ambiguousDestination, name, nil, &compiler)
                return nil
            }
            let inner = compiler.nested(table: table)
            var step = RequestStep(
                property: -1, object: inner, options: options, action: .nested, omitsNil: false)
            if case .property(let index) = key {
                step.property = Int32(index)
                step.action = .nestedUnderValue
            }
            compiler.add(RequestPlanCompiler.Member(key: key, step: step), to: parent)
            nested[prefix] = inner
            parent = inner
        }
        return parent
    }

    private func keys(
        of destination: SourcePath, _ compiler: inout RequestPlanCompiler
    ) -> [RequestPlanCompiler.Key]? {
        var keys: [RequestPlanCompiler.Key] = []
        for component in destination.components {
            switch component {
            case .key(let key): keys.append(.text(key))
            case .placeholder(let name):
                guard let index = mapping.table.index(of: name) else {
                    let names = mapping.table.properties.map(\.name)
                    diagnose(
                        .unknownPlaceholder, name, PlanDiagnostic.nearest(to: name, among: names),
                        &compiler)
                    return nil
                }
                keys.append(.property(index))
            case .index, .metadata, .root, .parent, .collected:
                diagnose(
                    .invalidSource, "\(destination)",
                    "a destination must consist of keys, or all of them of one position",
                    &compiler)
                return nil
            }
        }
        return keys
    }

    private func diagnose(
        _ code: PlanDiagnostic.Code, _ name: String, _ suggestion: String?,
        _ compiler: inout RequestPlanCompiler
    ) {
        compiler.diagnose(
            PlanDiagnostic(
                code: code, mapping: mapping.table.name, name: name, suggestion: suggestion))
    }
}

extension AnyRequestMapping {
    /// Returns a Boolean value that indicates whether the mapping writes the objects of a table, or
    /// some of them.
    fileprivate func isSuitable(for related: PropertyTable) -> Bool {
        switch self {
        case .dynamic, .request: related.holds(table)
        case .codable: related.isSame(as: table)
        }
    }
}

extension RequestStep {
    init(
        property: Int, object: Int = -1, options: Int = -1, action: Action = .value, omitsNil: Bool
    ) {
        self.init(
            property: Int32(property), object: Int32(object), options: Int32(options), key: 0,
            keyLength: 0, action: action, omitsNil: omitsNil)
    }
}
