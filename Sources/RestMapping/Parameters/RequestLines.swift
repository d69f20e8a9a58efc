// SPDX-License-Identifier: Apache-2.0

/// The lines of one request mapping, on their way into a plan.
struct RequestLines {
    let mapping: RequestMapping
    /// The object they belong to.
    let object: Int
    /// Index of the mapping's table in the plan.
    let table: Int
    /// The form of values that no line says anything about; -1 for the standard one.
    private var form = -1
    /// The nested objects by the keys that lead there.
    private var nested: [[ParameterCompiler.Key]: Int] = [:]
    private var taken = Set<[ParameterCompiler.Key]>()

    init(mapping: RequestMapping, object: Int, table: Int) {
        self.mapping = mapping
        self.object = object
        self.table = table
    }

    mutating func compile(into compiler: inout ParameterCompiler) {
        if mapping.dates != .iso8601 || mapping.decimals != .text {
            form = compiler.addForm(standardForm)
        }
        for line in mapping.propertyMappings {
            switch line {
            case .attribute(let attribute): compile(attribute, into: &compiler)
            case .relationship(let relationship): compile(relationship, into: &compiler)
            }
        }
    }

    private var standardForm: ValueForm {
        ValueForm(dates: mapping.dates, hasNumericDecimals: mapping.decimals == .number)
    }

    // MARK: Lines

    private mutating func compile(
        _ attribute: RequestAttribute, into compiler: inout ParameterCompiler
    ) {
        guard let path = properties(of: attribute.source, &compiler), let last = path.last else {
            return
        }
        if attribute.destination.components.isEmpty {
            guard path.count == 1 else {
                return complain(
                    .invalidSource, attribute.source, "a key is one property", &compiler)
            }
            _ = nestedObject([.property(last.index)], attribute.source, &compiler)
            return
        }
        var step = ParameterStep(
            property: last.index, form: self.form, omitsNil: mapping.omitsNil)
        switch attribute.form {
        case .transform(let transform):
            var form = standardForm
            form.transform = transform
            step.form = Int32(compiler.addForm(form))
            step.isTransformed = true
        case .dates(let dates):
            var form = standardForm
            form.dates = dates
            step.form = Int32(compiler.addForm(form))
        case nil: break
        }
        if let relation = last.property.relation {
            step.object = Int32(compiler.defaultObject(for: relation.table, like: mapping))
        }
        add(step, along: path, to: attribute.destination, attribute.source, &compiler)
    }

    private mutating func compile(
        _ relationship: RequestRelationship, into compiler: inout ParameterCompiler
    ) {
        guard let path = properties(of: relationship.source, &compiler), let last = path.last else {
            return
        }
        guard let relation = last.property.relation else {
            return complain(.notARelationship, relationship.source, nil, &compiler)
        }
        let related: Int
        switch relationship.mapping {
        case let mapping? where !mapping.fits(relation.table):
            return complain(
                .wrongSubject, relationship.source, relation.table.name, &compiler)
        case let mapping?: related = compiler.object(for: mapping)
        case nil: related = compiler.defaultObject(for: relation.table, like: mapping)
        }
        var form = form
        if case .codable(let mapping)? = relationship.mapping {
            var own = standardForm
            own.codable = mapping
            form = compiler.addForm(own)
        }
        let step = ParameterStep(
            property: last.index, object: related, form: form, omitsNil: true)
        add(step, along: path, to: relationship.destination, relationship.source, &compiler)
    }

    // MARK: Sources

    private struct PathStep {
        let index: Int
        let property: Property
        let table: PropertyTable
    }

    /// The properties that a dotted name leads along.
    private func properties(
        of name: String, _ compiler: inout ParameterCompiler
    ) -> [PathStep]? {
        var path: [PathStep] = []
        var table = mapping.table
        let parts = table.index(of: name) == nil ? name.split(separator: ".") : [name[...]]
        for part in parts {
            if let last = path.last {
                guard let relation = last.property.relation else {
                    complain(.notARelationship, last.property.name, nil, &compiler)
                    return nil
                }
                table = relation.table
            }
            guard let index = table.index(of: String(part)) else {
                let suggestion = PlanDiagnostic.nearest(
                    to: String(part), among: table.properties.map(\.name))
                complain(.unknownProperty, name, suggestion, &compiler)
                return nil
            }
            path.append(PathStep(index: index, property: table.properties[index], table: table))
        }
        return path
    }

    // MARK: Destinations

    /// Hangs a value on its destination, behind the objects that its path goes through.
    private mutating func add(
        _ step: ParameterStep, along path: [PathStep], to destination: SourcePath, _ name: String,
        _ compiler: inout ParameterCompiler
    ) {
        guard let keys = keys(of: destination, &compiler), let last = keys.last else { return }
        var step = step
        for part in path.dropLast().reversed() {
            let through = compiler.projection(of: step, table: table)
            step = ParameterStep(
                property: part.index, object: through, form: form, omitsNil: step.omitsNil)
        }
        guard let place = nestedObject(Array(keys.dropLast()), name, &compiler) else { return }
        guard taken.insert(keys).inserted, nested[keys] == nil else {
            return complain(.ambiguousDestination, "\(destination)", nil, &compiler)
        }
        if case .property(let index) = last {
            let value = compiler.projection(of: step, table: table)
            step = ParameterStep(
                property: index, object: value, form: form, action: .nestedUnderValue,
                omitsNil: false)
        }
        compiler.add(ParameterCompiler.Member(key: last, step: step), to: place)
    }

    /// The object that keys lead to, made where it is not there yet; nil if a value is there.
    private mutating func nestedObject(
        _ keys: [ParameterCompiler.Key], _ name: String, _ compiler: inout ParameterCompiler
    ) -> Int? {
        var place = object
        for count in keys.indices.map({ $0 + 1 }) {
            let way = Array(keys.prefix(count))
            if let known = nested[way] {
                place = known
                continue
            }
            guard !taken.contains(way), let key = way.last else {
                complain(.ambiguousDestination, name, nil, &compiler)
                return nil
            }
            let inner = compiler.nested(table: table)
            var step = ParameterStep(
                property: -1, object: inner, form: form, action: .nested, omitsNil: false)
            if case .property(let index) = key {
                step.property = Int32(index)
                step.action = .nestedUnderValue
            }
            compiler.add(ParameterCompiler.Member(key: key, step: step), to: place)
            nested[way] = inner
            place = inner
        }
        return place
    }

    private func keys(
        of destination: SourcePath, _ compiler: inout ParameterCompiler
    ) -> [ParameterCompiler.Key]? {
        var keys: [ParameterCompiler.Key] = []
        for component in destination.components {
            switch component {
            case .key(let key): keys.append(.text(key))
            case .placeholder(let name):
                guard let index = mapping.table.index(of: name) else {
                    let names = mapping.table.properties.map(\.name)
                    complain(
                        .unknownPlaceholder, name, PlanDiagnostic.nearest(to: name, among: names),
                        &compiler)
                    return nil
                }
                keys.append(.property(index))
            case .index, .metadata, .root, .parent, .collected:
                complain(
                    .invalidSource, "\(destination)", "a destination has keys only", &compiler)
                return nil
            }
        }
        return keys
    }

    private func complain(
        _ code: PlanDiagnostic.Code, _ name: String, _ suggestion: String?,
        _ compiler: inout ParameterCompiler
    ) {
        compiler.complain(
            PlanDiagnostic(
                code: code, mapping: mapping.table.name, name: name, suggestion: suggestion))
    }
}

extension ParameterMapping {
    /// Whether it writes the objects that a table describes, or some of them.
    fileprivate func fits(_ related: PropertyTable) -> Bool {
        switch self {
        case .dynamic(let mapping): related.holds(mapping.table)
        case .request, .codable: related.isSame(as: table)
        }
    }
}

extension ParameterStep {
    init(
        property: Int, object: Int = -1, form: Int = -1, action: Action = .value, omitsNil: Bool
    ) {
        self.init(
            property: Int32(property), object: Int32(object), form: Int32(form), key: 0,
            keyLength: 0, action: action, omitsNil: omitsNil)
    }
}
