// SPDX-License-Identifier: Apache-2.0

/// A plan under construction: a tree of keys for each object, flattened at the end.
struct PlanDraft {
    /// A step of an object.
    struct Step {
        var property: Int
        /// The index of the related or intermediate object; -1 for none.
        var object: Int
        var ordinal: Int
        var detail: StepDetail
        var isDescent = false
        /// The policy for a value that cannot be mapped; `nil` for that of the mapping.
        var policy: IssuePolicy?
    }

    /// A key with its steps.
    struct Branch {
        var key: String
        var steps: [Step] = []
        /// The index of the intermediate object that continues a dotted source.
        var child: Int?
    }

    /// An object of the plan: that of a mapping, or an intermediate one of a dotted source.
    struct ObjectDraft {
        var table: PropertyTable
        /// The index of the object whose properties are assigned; for an intermediate object, the one that
        /// it belongs to.
        var owner: Int
        var policy: IssuePolicy
        var conversion: ConversionOptions
        var branches: [Branch] = []
        var paths: [(source: SourcePath, step: Step)] = []
        /// Steps to related objects that read properties of this one.
        var dependentSteps: [Step] = []
        var isIntermediate = false
        var isForced = false
        var nested: (object: Int, step: Step)?
        var selector: MappingSelector?
        var candidates: [Int] = []
        var codable: CodableMapping?
        /// A Boolean value that indicates whether the mapping assigns missing values.
        var assignsMissing = false
        var stepCount = 0
    }

    /// The identity of a default mapping.
    struct DefaultKey: Hashable {
        var name: String
        var policy: IssuePolicy
        /// The index of the object that declares the value conversion; `nil` for the mapping's own.
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

    /// Adds the object of a mapping; its content is compiled later, so that recursion ends.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - origin: For the default mapping of a type, the index of the object whose value conversion it
    ///     inherits.
    /// - Returns: The index of the object in the plan.
    mutating func object(for mapping: ObjectMapping, inheriting origin: Int? = nil) -> Int {
        let index = objects.count
        objects.append(
            ObjectDraft(
                table: mapping.table, owner: index, policy: mapping.policy,
                conversion: mapping.conversion))
        pending.append((index, mapping, origin ?? index))
        return index
    }

    /// Adds the object of a mapping of any kind.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - table: The properties that the objects of a dynamic mapping have in common.
    ///   - policy: The policy of a dynamic mapping.
    ///   - conversion: The value conversion; `nil` for the standard one.
    /// - Returns: The index of the object in the plan.
    mutating func object(
        for mapping: Mapping, table: PropertyTable, policy: IssuePolicy,
        conversion: ConversionOptions?
    ) -> Int {
        switch mapping {
        case .object(let mapping): return object(for: mapping, heldAs: table)
        case .codable(let mapping):
            objects.append(
                ObjectDraft(
                    table: mapping.table, owner: objects.count, policy: mapping.policy,
                    conversion: conversion ?? .standard))
            objects[objects.count - 1].codable = mapping
            return objects.count - 1
        case .dynamic(let mapping):
            let draft = SelectorDraft(mapping)
            for path in draft.unreachable {
                diagnostics.append(
                    PlanDiagnostic(
                        code: .unreachableMatcher, mapping: table.name, name: path,
                        suggestion: nil))
            }
            for (path, diagnostic) in draft.invalidPaths {
                diagnostics.append(
                    PlanDiagnostic(
                        code: .invalidSource, mapping: table.name, name: path,
                        suggestion: diagnostic))
            }
            return object(
                choosingBy: draft.selector, among: draft.candidates,
                isForced: mapping.forcesCollection,
                ObjectDraft(
                    table: table, owner: objects.count, policy: policy,
                    conversion: conversion ?? .standard))
        }
    }

    /// Adds the object of a mapping whose objects a property holds as the type of a table.
    ///
    /// A property of a base class does not state which subclass a mapping builds, so that the object is
    /// then chosen like that of a dynamic mapping with this mapping alone.
    private mutating func object(
        for mapping: ObjectMapping, heldAs table: PropertyTable, inheriting origin: Int? = nil
    ) -> Int {
        guard let type = mapping.table.swiftType, let heldType = table.swiftType, type != heldType
        else { return object(for: mapping, inheriting: origin) }
        return object(
            choosingBy: MappingSelector(only: mapping.table.subject.map { ObjectIdentifier($0) }),
            among: [mapping], isForced: mapping.forcesCollection, inheriting: origin,
            ObjectDraft(
                table: table, owner: objects.count, policy: mapping.policy,
                conversion: mapping.conversion))
    }

    /// Adds an object that stands for the candidates of a selector.
    ///
    /// Each of them may be one member of an object if the list of members is forced.
    private mutating func object(
        choosingBy selector: MappingSelector, among mappings: [ObjectMapping], isForced: Bool,
        inheriting origin: Int? = nil, _ draft: ObjectDraft
    ) -> Int {
        let index = objects.count
        objects.append(draft)
        objects[index].isForced = isForced
        let candidates = mappings.map { object(for: $0, inheriting: origin) }
        if isForced { for candidate in candidates { objects[candidate].isForced = true } }
        objects[index].candidates = candidates
        objects[index].selector = selector
        return index
    }

    /// Adds the object of a relation without a declared mapping.
    ///
    /// If representations may refer to it by a plain value, the kind of the value chooses its mapping.
    mutating func defaultObject(_ relation: Relation, inheriting origin: Int) -> Int {
        guard relation.hasReference else {
            return defaultObject(of: relation.table, inheriting: origin)
        }
        var reference = ObjectMapping(
            table: relation.table, policy: objects[origin].policy,
            conversion: objects[origin].conversion)
        if let property = relation.referenceProperty {
            reference.add(reference.table.properties[property].name, from: .whole)
        }
        let index = objects.count
        objects.append(
            ObjectDraft(
                table: relation.table, owner: index, policy: reference.policy,
                conversion: reference.conversion))
        objects[index].selector = MappingSelector(
            ofPlainValuesAndObjects: relation.table.subject.map { ObjectIdentifier($0) })
        objects[index].candidates = [
            object(for: reference, inheriting: origin),
            defaultObject(of: relation.table, inheriting: origin),
        ]
        return index
    }

    /// Adds the object of the default mapping of a type, which is one for the whole plan.
    private mutating func defaultObject(
        of table: PropertyTable, inheriting origin: Int
    ) -> Int {
        let declared = defaultMappings[table.name]
        let policy = declared?.policy ?? objects[origin].policy
        let key = DefaultKey(
            name: table.name, policy: policy, conversion: declared == nil ? origin : nil)
        if let known = defaults[key] { return known }
        defaults[key] = objects.count
        if let declared { return object(for: declared, heldAs: table) }
        let conversion = objects[origin].conversion
        guard let mappable = table.subject as? any ObjectMappable.Type else {
            let mapping = ObjectMapping(
                defaultFor: table, policy: policy, conversion: conversion)
            return object(for: mapping, inheriting: origin)
        }
        var mapping = mappable.objectMapping
        mapping.policy = policy
        mapping.conversion = conversion
        return object(for: mapping, heldAs: table, inheriting: origin)
    }

    mutating func compilePending() {
        while let (object, mapping, conversion) = pending.popLast() {
            compile(mapping, into: object, conversion: conversion)
        }
    }

    // MARK: Sources

    /// Adds a step at its source: in the tree of keys if the source is one or more keys, else as a path.
    mutating func add(_ step: Step, at source: SourcePath, to object: Int) {
        var step = step
        if step.ordinal < 0 {
            let owner = objects[object].owner
            step.ordinal = objects[owner].stepCount
            objects[owner].stepCount += 1
            if step.detail.missing != .keep { objects[owner].assignsMissing = true }
        }
        if case .placeholder = source.components.first, let nested = objects[object].nested {
            let rest = SourcePath(Array(source.components.dropFirst()))
            return add(step, at: rest, to: nested.object)
        }
        guard let keys = source.keys, step.detail.kind != .nestedProperties else {
            objects[object].paths.append((source, step))
            return
        }
        var object = object
        for key in keys.dropLast() { object = child(key, of: object) }
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

    private mutating func child(_ key: String, of object: Int) -> Int {
        let branch = self.branch(key, in: object)
        if let known = objects[object].branches[branch].child { return known }
        let intermediate = intermediateObject(of: object)
        objects[object].branches[branch].child = intermediate
        objects[object].branches[branch].steps.append(
            Step(
                property: -1, object: intermediate, ordinal: 0,
                detail: StepDetail(
                    kind: .traversal, source: SourcePath([.key(key)]), destination: ""),
                isDescent: true))
        return intermediate
    }

    /// Adds an intermediate object of the dotted sources of another.
    mutating func intermediateObject(of object: Int) -> Int {
        var intermediate = ObjectDraft(
            table: objects[object].table, owner: objects[object].owner,
            policy: objects[object].policy, conversion: objects[object].conversion)
        intermediate.isIntermediate = true
        objects.append(intermediate)
        return objects.count - 1
    }
}
