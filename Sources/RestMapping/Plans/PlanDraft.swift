// SPDX-License-Identifier: Apache-2.0

/// A plan being compiled: a tree of keys per object, flattened at the end.
struct PlanDraft {
    /// A step and what is known of it.
    struct Step {
        var property: Int
        /// Index of the related object, or of the object that is passed; -1 for none.
        var object: Int
        var ordinal: Int
        var detail: StepDetail
        var isDescent = false
        /// What happens when the value cannot be mapped; nil for what the mapping says.
        var policy: IssuePolicy?
    }

    /// A key and what hangs on it.
    struct Branch {
        var key: String
        var steps: [Step] = []
        var deeper: Int?
    }

    /// An object of the plan: a mapping's own, or one passed on the way to a dotted source.
    struct ObjectDraft {
        var table: PropertyTable
        /// The object whose properties are fed; itself, or the one before it if it is passed.
        var owner: Int
        var policy: IssuePolicy
        var conversion: ValueConversion
        var branches: [Branch] = []
        var paths: [(source: SourcePath, step: Step)] = []
        /// Steps to related objects that ask this one.
        var asking: [Step] = []
        var isPassed = false
        var isForced = false
        var nested: (object: Int, step: Step)?
        var selector: MappingSelector?
        var candidates: [Int] = []
        var codable: CodableMapping?
        var feedsMissing = false
        var stepCount = 0
    }

    /// What a default mapping is told apart by.
    struct DefaultKey: Hashable {
        var name: String
        var policy: IssuePolicy
        /// Index of the object that the way to convert values was declared with; nil for the
        /// mapping's own.
        var conversion: Int?
    }

    let defaultMappings: [String: ObjectMapping]
    var diagnostics: [PlanDiagnostic] = []
    var objects: [ObjectDraft] = []
    private var defaults: [DefaultKey: Int] = [:]
    private var pending: [(object: Int, mapping: ObjectMapping, conversion: Int)] = []

    init(defaults: [String: ObjectMapping]) {
        defaultMappings = defaults
    }

    // MARK: Objects

    mutating func root(_ mapping: Mapping) -> Int {
        let table = PropertyTable(entity: "DynamicMapping", [])
        return object(for: mapping, table: table, policy: .standard, conversion: nil)
    }

    /// The index of a mapping's object; its content is compiled later, so recursion ends here.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - origin: For the default mapping of a type, index of the object whose way to convert it
    ///     inherits.
    /// - Returns: Index of the object in the plan.
    mutating func object(for mapping: ObjectMapping, inheriting origin: Int? = nil) -> Int {
        let index = objects.count
        objects.append(
            ObjectDraft(
                table: mapping.table, owner: index, policy: mapping.policy,
                conversion: mapping.conversion))
        pending.append((index, mapping, origin ?? index))
        return index
    }

    /// The index of the object of a mapping of any kind.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - table: What the objects of a dynamic mapping have in common.
    ///   - policy: What happens when nothing can be built of a representation.
    ///   - conversion: How its values are converted; nil for the standard way.
    /// - Returns: Index of the object in the plan.
    mutating func object(
        for mapping: Mapping, table: PropertyTable, policy: IssuePolicy,
        conversion: ValueConversion?
    ) -> Int {
        switch mapping {
        case .object(let mapping): return object(for: mapping)
        case .codable(let mapping):
            objects.append(
                ObjectDraft(
                    table: mapping.table, owner: objects.count, policy: mapping.policy,
                    conversion: conversion ?? .standard))
            objects[objects.count - 1].codable = mapping
            return objects.count - 1
        case .dynamic(let mapping):
            let index = objects.count
            let selector = MappingSelector(mapping)
            objects.append(
                ObjectDraft(
                    table: table, owner: index, policy: policy,
                    conversion: conversion ?? .standard))
            objects[index].isForced = mapping.forcesCollection
            for path in selector.unreachable {
                diagnostics.append(
                    PlanDiagnostic(
                        code: .unreachableMatcher, mapping: table.name, name: path,
                        suggestion: nil))
            }
            let candidates = selector.candidates.map { object(for: $0) }
            objects[index].candidates = candidates
            objects[index].selector = selector
            return index
        }
    }

    mutating func defaultObject(_ relation: Relation, inheriting origin: Int) -> Int {
        let declared = defaultMappings[relation.table.name]
        let policy = declared?.policy ?? objects[origin].policy
        let key = DefaultKey(
            name: relation.table.name, policy: policy, conversion: declared == nil ? origin : nil)
        if let known = defaults[key] { return known }
        defaults[key] = objects.count
        if let declared { return object(for: declared) }
        let mapping = ObjectMapping(
            defaultFor: relation.table, policy: policy, conversion: objects[origin].conversion)
        return object(for: mapping, inheriting: origin)
    }

    mutating func compilePending() {
        while let (object, mapping, conversion) = pending.popLast() {
            compile(mapping, into: object, conversion: conversion)
        }
    }

    // MARK: Sources

    /// Hangs a step on its source: along keys where the source is one or more keys, else as a path.
    mutating func add(_ step: Step, at source: SourcePath, to object: Int) {
        var step = step
        if step.ordinal < 0 {
            let owner = objects[object].owner
            step.ordinal = objects[owner].stepCount
            objects[owner].stepCount += 1
            if step.detail.missing != .keep { objects[owner].feedsMissing = true }
        }
        if case .placeholder = source.components.first, let nested = objects[object].nested {
            let rest = SourcePath(Array(source.components.dropFirst()))
            return add(step, at: rest, to: nested.object)
        }
        guard let keys = source.keys, step.detail.kind != .part else {
            objects[object].paths.append((source, step))
            return
        }
        var object = object
        for key in keys.dropLast() { object = deeper(key, in: object) }
        let branch = self.branch(keys[keys.count - 1], in: object)
        objects[object].branches[branch].steps.append(step)
    }

    private mutating func branch(_ key: String, in object: Int) -> Int {
        if let known = objects[object].branches.firstIndex(where: { $0.key == key }) {
            return known
        }
        objects[object].branches.append(Branch(key: key))
        return objects[object].branches.count - 1
    }

    private mutating func deeper(_ key: String, in object: Int) -> Int {
        let branch = self.branch(key, in: object)
        if let known = objects[object].branches[branch].deeper { return known }
        let passed = passedObject(of: object)
        objects[object].branches[branch].deeper = passed
        objects[object].branches[branch].steps.append(
            Step(
                property: -1, object: passed, ordinal: 0,
                detail: StepDetail(kind: .way, source: SourcePath([.key(key)]), destination: ""),
                isDescent: true))
        return passed
    }

    /// An object on the way to sources of another.
    mutating func passedObject(of object: Int) -> Int {
        var passed = ObjectDraft(
            table: objects[object].table, owner: objects[object].owner,
            policy: objects[object].policy, conversion: objects[object].conversion)
        passed.isPassed = true
        objects.append(passed)
        return objects.count - 1
    }
}
