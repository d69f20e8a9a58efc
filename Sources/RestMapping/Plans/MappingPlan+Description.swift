// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension MappingPlan: CustomStringConvertible {
    /// The whole plan as text: for each object its name, then one line for each step.
    ///
    /// Objects are numbered, and a step to an object names its number. A step to an intermediate object of
    /// a dotted source names no property.
    public var description: String {
        var text = root == 0 ? "" : "begins with #\(root)\n"
        for object in objectDetails.indices {
            text += "#\(object) \(title(of: object))\n"
            for line in lines(of: object) { text += "  \(line)\n" }
        }
        for warning in warnings { text += "warning: \(warning)\n" }
        return text
    }

    private func title(of index: Int) -> String {
        let detail = objectDetails[index]
        var notes: [String] = []
        if detail.selector != nil { notes.append("chosen") }
        if detail.codable != nil { notes.append("decodes itself") }
        if detail.forcesCollection { notes.append("each member of an object") }
        let policy = storage.object(index).policy
        if policy.invalidValue == .failObject { notes.append("wrong values fail") }
        if policy.invalidElement == .drop { notes.append("wrong elements are dropped") }
        if policy.invalidObject == .drop { notes.append("wrong objects are dropped") }
        return tables[index].name + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }

    private func lines(of index: Int) -> [String] {
        let object = storage.object(index)
        let detail = objectDetails[index]
        var lines: [String] = []
        if detail.nestingStep >= 0 {
            lines.append("(the key) -> \(describe(detail.nestingStep))")
            lines.append("(its value) -> #\(detail.nestedObject)")
        }
        for key in Int(object.firstKey)..<Int(object.firstKey + object.keyCount) {
            let name = SourcePath([.key(keyNames[key])])
            for step in Int(storage.key(key).firstStep)..<Int(storage.key(key).endStep) {
                lines.append("\(name) -> \(describe(step))")
            }
        }
        for path in paths[Int(object.firstPath)..<Int(object.firstPath + object.pathCount)] {
            let source = path.source.components.isEmpty ? "(the object)" : "\(path.source)"
            lines.append("\(source) -> \(describe(path.step))")
        }
        for (source, step) in detail.dependentSteps {
            let source = source.components.isEmpty ? "(the object)" : "\(source)"
            lines.append("\(source) -> \(describe(step)), last")
        }
        if let selector = detail.selector {
            let step = stepDetails.indices.first { storage.step($0).object == index }
            let first = step.map { stepDetails[$0].firstCandidate } ?? -1
            lines += selector.lines { first < 0 ? -1 : Int(storage.step(first + $0).object) }
        }
        return lines
    }

    private func describe(_ index: Int) -> String {
        let step = storage.step(index)
        if step.action == .descend { return "#\(step.object)" }
        let detail = stepDetails[index]
        var text = tables[Int(step.mapping)].properties[Int(step.property)].name
        if step.object >= 0 { text += " #\(step.object)" }
        if let transform = detail.transform { text += " by \(transform.name)" }
        if detail.kind == .nestedProperties { text += ", filled" }
        if detail.isReadByChildren { text += ", read by related objects" }
        switch detail.assignment {
        case .set: break
        case .union: text += ", added"
        case .replace: text += ", replaced"
        }
        switch detail.missing {
        case .keep: break
        case .assignDefault: text += ", default if missing"
        case .assignNil: text += ", nil if missing"
        }
        return detail.validation == nil ? text : text + ", validated"
    }
}

extension MappingSelector {
    /// Returns one line for each test, with the number of each candidate's object.
    fileprivate func lines(_ number: (Int) -> Int) -> [String] {
        if isByKind {
            return ["(a plain value) -> #\(number(0))", "(an object) -> #\(number(1))"]
        }
        return tests.flatMap { test -> [String] in
            switch test {
            case .comparison(let comparison):
                let texts = comparison.texts.values.joined().map {
                    (Document(stringLiteral: $0.text), $0.candidate)
                }
                let others = comparison.others.map { ($0.value, $0.candidate) }
                return (texts + others).sorted { $0.1 < $1.1 }.map {
                    "\(comparison.location.path) = \($0.0.debugDescription) -> #\(number($0.1))"
                }
            case .kind(let path, let kind, let candidate):
                return ["\(path.path) is \(kind) -> #\(number(candidate))"]
            case .predicate(_, let candidate): return ["(a predicate) -> #\(number(candidate))"]
            case .selection: return ["(a selection)"]
            }
        }
    }
}
