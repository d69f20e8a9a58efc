// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A parameter plan being compiled: a tree of keys per object, flattened at the end.
struct ParameterCompiler {
    /// What stands before a value.
    enum Key: Hashable {
        case text(String)
        /// The text of a property's value.
        case property(Int)
    }

    struct Member {
        var key: Key
        var step: ParameterStep
    }

    /// An object of the plan: a mapping's own, one nested in it, or one that a path goes through.
    struct ObjectDraft {
        var table: Int
        var kind = ParameterObject.Kind.members
        var members: [Member] = []
    }

    /// What a default mapping is told apart by.
    private struct DefaultKey: Hashable {
        var name: String
        var omitsNil: Bool
        var dates: DateFormat
        var decimals: RequestMapping.DecimalStyle
    }

    private(set) var diagnostics: [PlanDiagnostic] = []
    private(set) var objects: [ObjectDraft] = []
    private var tables: [PropertyTable] = []
    private var forms: [ValueForm] = []
    private var choices: [ParameterPlan.Choice] = []
    private var defaults: [DefaultKey: Int] = [:]
    private var pending: [(object: Int, mapping: RequestMapping)] = []

    /// Compiles a mapping and all that it leads to.
    mutating func compile(_ mapping: ParameterMapping) {
        _ = object(for: mapping)
        while let (object, mapping) = pending.popLast() {
            var lines = RequestLines(mapping: mapping, object: object, table: objects[object].table)
            lines.compile(into: &self)
        }
    }

    // MARK: Objects

    /// The index of a mapping's object; its content is compiled later, so recursion ends here.
    mutating func object(for mapping: ParameterMapping) -> Int {
        let index: Int
        switch mapping {
        case .request(let mapping):
            index = newObject(of: mapping.table)
            pending.append((index, mapping))
        case .dynamic(let dynamic):
            index = newObject(of: dynamic.table)
            let candidates = dynamic.candidates.map { candidate in
                ParameterPlan.Choice.Candidate(
                    fits: candidate.fits, object: object(for: .request(candidate.mapping)))
            }
            choices.append(ParameterPlan.Choice(candidates: candidates))
            objects[index].kind = .chosen
            objects[index].table = choices.count - 1
        case .codable(let mapping): index = newObject(of: mapping.table)
        }
        return index
    }

    /// The object of the default mapping of a table, with the options of the mapping around it.
    mutating func defaultObject(for table: PropertyTable, like mapping: RequestMapping) -> Int {
        let key = DefaultKey(
            name: table.name, omitsNil: mapping.omitsNil, dates: mapping.dates,
            decimals: mapping.decimals)
        if let known = defaults[key] { return known }
        var related = RequestMapping(defaultFor: table)
        related.omitsNil = mapping.omitsNil
        related.dates = mapping.dates
        related.decimals = mapping.decimals
        let index = object(for: .request(related))
        defaults[key] = index
        return index
    }

    private mutating func newObject(of table: PropertyTable) -> Int {
        tables.append(table)
        objects.append(ObjectDraft(table: tables.count - 1))
        return objects.count - 1
    }

    /// An object that stands for the value of one step.
    mutating func projection(of step: ParameterStep, table: Int) -> Int {
        let member = Member(key: .property(Int(step.property)), step: step)
        objects.append(ObjectDraft(table: table, kind: .projection, members: [member]))
        return objects.count - 1
    }

    /// An object for more members of the same subject.
    mutating func nested(table: Int) -> Int {
        objects.append(ObjectDraft(table: table))
        return objects.count - 1
    }

    mutating func add(_ member: Member, to object: Int) { objects[object].members.append(member) }

    mutating func addForm(_ form: ValueForm) -> Int {
        forms.append(form)
        return forms.count - 1
    }

    mutating func complain(_ diagnostic: PlanDiagnostic) { diagnostics.append(diagnostic) }

    /// The table a mapping's object has.
    func table(_ index: Int) -> PropertyTable { tables[index] }

    // MARK: Flattening

    func plan(rootKey: String?) -> ParameterPlan {
        var plans: [ParameterObject] = []
        var steps: [ParameterStep] = []
        var names: [String] = []
        let text = EncodedText()
        defer { text.free() }
        for object in objects {
            let first = steps.count
            for member in object.members {
                var step = member.step
                step.key = Int32(text.count)
                if case .text(let key) = member.key {
                    text.appendByte(UInt8(ascii: ","))
                    text.appendQuoted(key)
                    text.appendByte(UInt8(ascii: ":"))
                }
                step.keyLength = Int32(text.count) - step.key
                steps.append(step)
                names.append(name(of: member.key, in: object))
            }
            plans.append(
                ParameterObject(
                    firstStep: Int32(first), endStep: Int32(steps.count),
                    mapping: Int32(object.table), kind: object.kind))
        }
        return ParameterPlan(
            storage: ParameterStorage(
                objects: plans, steps: steps, keyText: unsafe Array(text.bytes)),
            tables: tables, keyNames: names, forms: forms, choices: choices, rootKey: rootKey)
    }

    /// What a path of an issue calls a member.
    private func name(of key: Key, in object: ObjectDraft) -> String {
        switch key {
        case .text(let text): text
        case .property(let index): "{\(tables[object.table].properties[index].name)}"
        }
    }
}
