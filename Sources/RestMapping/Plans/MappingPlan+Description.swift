// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension MappingPlan: CustomStringConvertible {
    /// The whole plan as text: the object it begins with, then for each object one line per step.
    ///
    /// Objects are numbered; a step that leads to one names its number, and one that passes a key
    /// on the way to a dotted source leads to a number and to no property.
    public var description: String {
        var text = root == 0 ? "" : "begins with #\(root)\n"
        for object in rules.indices {
            text += "#\(object) \(title(of: object))\n"
            for line in lines(of: object) { text += "  \(line)\n" }
        }
        for warning in warnings { text += "warning: \(warning)\n" }
        return text
    }

    private func title(of index: Int) -> String {
        let rule = rules[index]
        var notes: [String] = []
        if rule.selector != nil { notes.append("chosen") }
        if rule.codable != nil { notes.append("decodes itself") }
        if rule.forcesCollection { notes.append("each member of an object") }
        let policy = storage.object(index).policy
        if policy.invalidValue == .failObject { notes.append("wrong values fail") }
        if policy.invalidElement == .drop { notes.append("wrong elements are dropped") }
        if policy.invalidObject == .drop { notes.append("wrong objects are dropped") }
        return tables[index].name + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }

    private func lines(of index: Int) -> [String] {
        let object = storage.object(index)
        let rule = rules[index]
        var lines: [String] = []
        if rule.nestingStep >= 0 {
            lines.append("(the key) -> \(describe(rule.nestingStep))")
            lines.append("(its value) -> #\(rule.nestedObject)")
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
        for (source, step) in rule.askingSteps {
            let source = source.components.isEmpty ? "(the object)" : "\(source)"
            lines.append("\(source) -> \(describe(step)), last")
        }
        if let selector = rule.selector {
            let step = details.indices.first { storage.step($0).object == index }
            let first = step.map { details[$0].firstCandidate } ?? -1
            lines += selector.lines { first < 0 ? -1 : Int(storage.step(first + $0).object) }
        }
        return lines
    }

    private func describe(_ index: Int) -> String {
        let step = storage.step(index)
        if step.action == .descend { return "#\(step.object)" }
        let detail = details[index]
        var text = tables[Int(step.mapping)].properties[Int(step.property)].name
        if step.object >= 0 { text += " #\(step.object)" }
        if let transform = detail.transform { text += " by \(transform.name)" }
        if detail.kind == .part { text += ", filled" }
        if detail.isHeld { text += ", asked for" }
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
    /// One line for each test, with the number of the object that a candidate is.
    fileprivate func lines(_ number: (Int) -> Int) -> [String] {
        tests.flatMap { test -> [String] in
            switch test {
            case .comparison(let comparison):
                let texts = comparison.texts.values.joined().map {
                    (Document(stringLiteral: $0.text), $0.candidate)
                }
                let others = comparison.others.map { ($0.value, $0.candidate) }
                return (texts + others).sorted { $0.1 < $1.1 }.map {
                    "\(comparison.place.path) = \($0.0.debugDescription) -> #\(number($0.1))"
                }
            case .kind(let path, let kind, let candidate):
                return ["\(path.path) is \(kind) -> #\(number(candidate))"]
            case .predicate(_, let candidate): return ["(a predicate) -> #\(number(candidate))"]
            case .selection: return ["(a selection)"]
            }
        }
    }
}
