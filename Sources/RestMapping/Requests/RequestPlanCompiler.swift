// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A compiler of request mappings: it builds a tree of keys for each object and flattens it at the
/// end.
struct RequestPlanCompiler {
    /// The key of a value.
    enum Key: Hashable {
        case text(String)
        /// The text of a property's value.
        case property(Int)
        /// A position in a list.
        case element(Int)
    }

    struct Member {
        var key: Key
        var step: RequestStep
    }

    /// An object of the plan: that of a mapping, one nested in it, or one on the way along a dotted
    /// property name.
    struct ObjectDraft {
        var table: Int
        var kind = RequestObjectPlan.Kind.members
        var members: [Member] = []
    }

    /// The identity of a mapping that is not declared, with its options.
    private struct DefaultKey: Hashable {
        var name: String
        var subject: ObjectIdentifier?
        var enclosing: Set<String>
        var omitsNil: Bool
        var dates: DateFormat?
        var decimals: RequestMapping.DecimalStyle
    }

    private(set) var diagnostics: [PlanDiagnostic] = []
    private(set) var objects: [ObjectDraft] = []
    private var tables: [PropertyTable] = []
    private var valueOptions: [RequestValueOptions] = []
    private var choices: [RequestPlan.Choice] = []
    private var defaults: [DefaultKey: Int] = [:]
    private var pending: [PendingObject] = []

    /// A mapping whose properties are not compiled yet.
    private struct PendingObject {
        var object: Int
        var mapping: RequestMapping
        /// The names of the entities that the object is part of; see
        /// ``RequestMapping/init(relatedBy:within:)``.
        var enclosing: Set<String>
    }

    /// Compiles a mapping and all mappings that it reaches.
    mutating func compile(_ mapping: AnyRequestMapping) {
        _ = object(for: mapping)
        while let next = pending.popLast() {
            var properties = RequestPropertyCompiler(
                mapping: next.mapping, object: next.object, table: objects[next.object].table,
                enclosing: next.enclosing)
            properties.compile(into: &self)
        }
    }

    // MARK: Objects

    /// Returns the index of a mapping's object.
    ///
    /// Its content is compiled later, which ends recursion.
    mutating func object(
        for mapping: AnyRequestMapping, within enclosing: Set<String> = []
    ) -> Int {
        let index: Int
        switch mapping {
        case .request(let mapping):
            index = newObject(of: mapping.table)
            let entity: Set = mapping.table.isEntity ? [mapping.table.name] : []
            pending.append(
                PendingObject(
                    object: index, mapping: mapping, enclosing: enclosing.union(entity)))
        case .dynamic(let dynamic):
            index = newObject(of: dynamic.table)
            let candidates = dynamic.candidates.map { candidate in
                RequestPlan.Choice.Candidate(
                    matches: candidate.matches, object: object(for: .request(candidate.mapping)))
            }
            choices.append(RequestPlan.Choice(candidates: candidates))
            objects[index].kind = .chosen
            objects[index].table = choices.count - 1
        case .codable(let mapping): index = newObject(of: mapping.table)
        }
        return index
    }

    /// Returns the object for related objects whose mapping is not declared.
    ///
    /// It has the options of the enclosing mapping. Its content depends on the enclosing entities
    /// only if it is an entity without identity.
    mutating func defaultObject(
        for table: PropertyTable, like mapping: RequestMapping, within enclosing: Set<String>
    ) -> Int {
        let isPart = table.isEntity && table.identity.isEmpty
        let key = DefaultKey(
            name: table.name, subject: table.subject.map { ObjectIdentifier($0) },
            enclosing: isPart ? enclosing : [], omitsNil: mapping.omitsNil, dates: mapping.dates,
            decimals: mapping.decimals)
        if let known = defaults[key] { return known }
        var related = RequestMapping(relatedBy: table, within: key.enclosing)
        related.omitsNil = mapping.omitsNil
        related.dates = mapping.dates
        related.decimals = mapping.decimals
        let index = object(for: .request(related), within: key.enclosing)
        defaults[key] = index
        return index
    }

    private mutating func newObject(of table: PropertyTable) -> Int {
        objects.append(ObjectDraft(table: self.table(table)))
        return objects.count - 1
    }

    /// Adds a table, and returns its index.
    mutating func table(_ table: PropertyTable) -> Int {
        tables.append(table)
        return tables.count - 1
    }

    /// Adds an object that is replaced by the value of one step.
    mutating func projection(of step: RequestStep, table: Int) -> Int {
        let member = Member(key: .property(Int(step.property)), step: step)
        objects.append(ObjectDraft(table: table, kind: .projection, members: [member]))
        return objects.count - 1
    }

    /// Replaces an object by the value of one step.
    mutating func replace(_ object: Int, by step: RequestStep) {
        objects[object].kind = .projection
        objects[object].members = [Member(key: .property(Int(step.property)), step: step)]
    }

    mutating func set(_ kind: RequestObjectPlan.Kind, of object: Int) {
        objects[object].kind = kind
    }

    /// Adds an object with further members of the same subject.
    mutating func nested(table: Int) -> Int {
        objects.append(ObjectDraft(table: table))
        return objects.count - 1
    }

    mutating func add(_ member: Member, to object: Int) { objects[object].members.append(member) }

    mutating func add(_ options: RequestValueOptions) -> Int {
        valueOptions.append(options)
        return valueOptions.count - 1
    }

    mutating func diagnose(_ diagnostic: PlanDiagnostic) { diagnostics.append(diagnostic) }

    /// Returns the table of a mapping's object.
    func table(_ index: Int) -> PropertyTable { tables[index] }

    // MARK: Flattening

    func plan(rootKey: String?) -> RequestPlan {
        var plans: [RequestObjectPlan] = []
        var steps: [RequestStep] = []
        var names: [String] = []
        let text = JSONTextBuffer()
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
                RequestObjectPlan(
                    firstStep: Int32(first), endStep: Int32(steps.count),
                    mapping: Int32(object.table), kind: object.kind))
        }
        return RequestPlan(
            storage: RequestPlanStorage(
                objects: plans, steps: steps, keyText: unsafe Array(text.bytes)),
            tables: tables, keyNames: names, valueOptions: valueOptions, choices: choices,
            rootKey: rootKey)
    }

    /// Returns the name of a member in the paths of issues.
    private func name(of key: Key, in object: ObjectDraft) -> String {
        switch key {
        case .text(let text): text
        case .property(let index): "{\(tables[object.table].properties[index].name)}"
        case .element(let position): "\(position)"
        }
    }
}
