// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Turns a declared mapping into a plan.
///
/// All mistakes of a mapping and of those nested in it are found in one go. Types that relate to
/// each other, or to themselves, by their default mappings share one plan.
public struct MappingCompiler: Sendable {
    /// Makes a compiler.
    public init() {}

    /// Compiles a mapping.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and every mistake.
    /// - Complexity: O(*n*) in the number of properties of all mappings reached.
    public func compile(_ mapping: ObjectMapping) throws(MappingError) -> MappingPlan {
        var draft = PlanDraft()
        let root = draft.object(for: mapping)
        draft.compilePending()
        guard draft.diagnostics.isEmpty else {
            throw MappingError(
                .invalidMapping, mapping: mapping.table.name, diagnostics: draft.diagnostics)
        }
        return draft.plan(root: root, mapping: mapping)
    }
}

/// A plan being compiled: a tree of keys per object, flattened at the end.
private struct PlanDraft {
    /// A key and what hangs on it.
    struct Branch {
        var key: String
        var steps: [PlanStep] = []
        var deeper: Int?
    }

    /// An object of the plan: a mapping's own, or one passed on the way to a dotted source.
    struct ObjectDraft {
        var mapping: Int
        var policy: IssuePolicy
        var coercions: Coercions
        var branches: [Branch] = []
        var paths: [(components: [DocumentPath.Component], step: PlanStep)] = []
    }

    /// What a default mapping is told apart by.
    struct DefaultKey: Hashable {
        var name: String
        var policy: IssuePolicy
        /// Index of the mapping that the way to convert values was declared with.
        var conversion: Int
    }

    var diagnostics: [PlanDiagnostic] = []
    private var objects: [ObjectDraft] = []
    private var tables: [PropertyTable] = []
    private var conversions: [ValueConversion] = []
    private var transforms: [any ErasedTransform] = []
    private var defaults: [DefaultKey: Int] = [:]
    private var pending: [(object: Int, mapping: ObjectMapping, conversion: Int)] = []

    /// The index of a mapping's object; its content is compiled later, so recursion ends here.
    ///
    /// - Parameters:
    ///   - mapping: The mapping.
    ///   - origin: For a default mapping, index of the mapping whose way to convert it inherits.
    /// - Returns: Index of the object in the plan.
    mutating func object(for mapping: ObjectMapping, inheriting origin: Int? = nil) -> Int {
        let index = objects.count
        if let origin {
            let key = DefaultKey(
                name: mapping.table.name, policy: mapping.policy, conversion: origin)
            if let known = defaults[key] { return known }
            defaults[key] = index
        }
        tables.append(mapping.table)
        conversions.append(mapping.conversion)
        objects.append(
            ObjectDraft(
                mapping: tables.count - 1, policy: mapping.policy,
                coercions: mapping.conversion.coercions))
        pending.append((index, mapping, origin ?? tables.count - 1))
        return index
    }

    mutating func compilePending() {
        while let (object, mapping, conversion) = pending.popLast() {
            compile(mapping, into: object, conversion: conversion)
        }
    }

    private mutating func compile(
        _ mapping: ObjectMapping, into object: Int, conversion: Int
    ) {
        let table = mapping.table
        var taken = Set<Int>()
        func complain(_ code: PlanDiagnostic.Code, _ name: String, _ suggestion: String? = nil) {
            diagnostics.append(
                PlanDiagnostic(
                    code: code, mapping: table.name, name: name, suggestion: suggestion))
        }
        func index(of name: String) -> Int? {
            guard let index = table.index(of: name) else {
                complain(
                    .unknownProperty, name,
                    PlanDiagnostic.nearest(to: name, among: table.properties.map(\.name)))
                return nil
            }
            if taken.insert(index).inserted { return index }
            complain(.ambiguousDestination, name)
            return nil
        }
        func step(
            _ property: Int, object related: Int = -1, transform: Int = -1,
            policy: IssuePolicy? = nil
        ) -> PlanStep {
            PlanStep(
                property: Int32(property), mapping: Int32(objects[object].mapping),
                object: Int32(related), transform: Int32(transform), action: .assign,
                policy: policy ?? mapping.policy, coercions: mapping.conversion.coercions,
                hasDates: mapping.conversion.hasDates)
        }

        for attribute in mapping.attributes {
            guard let property = index(of: attribute.destination) else { continue }
            var transform = attribute.transform ?? table.properties[property].transform
            var related = -1
            if transform == nil, let relation = table.properties[property].relation {
                related = defaultObject(relation, policy: mapping.policy, conversion)
            }
            if transform == nil, table.properties[property].relation == nil {
                transform = mapping.conversion.transformer.map {
                    TransformerHook(transformer: $0, isForMapping: true)
                }
            }
            if let transform { transforms.append(transform) }
            add(
                step(
                    property, object: related,
                    transform: transform == nil ? -1 : transforms.count - 1,
                    policy: attribute.policy ?? table.properties[property].policy),
                at: attribute.source, to: object)
        }
        for relationship in mapping.relationships {
            guard let property = index(of: relationship.destination) else { continue }
            guard let relation = table.properties[property].relation else {
                complain(.notARelationship, relationship.destination)
                continue
            }
            let related: Int
            if let nested = relationship.mapping {
                guard nested.table.name == relation.table.name else {
                    complain(.wrongSubject, relationship.destination, relation.table.name)
                    continue
                }
                related = self.object(for: nested)
            } else {
                related = defaultObject(relation, policy: mapping.policy, conversion)
            }
            add(step(property, object: related), at: relationship.source, to: object)
        }
    }

    private mutating func defaultObject(
        _ relation: Relation, policy: IssuePolicy, _ conversion: Int
    ) -> Int {
        var mapping = ObjectMapping(defaultFor: relation.table, policy: policy)
        mapping.conversion = conversions[conversion]
        return object(for: mapping, inheriting: conversion)
    }

    /// Hangs a step on its source: along keys where the source is one or more keys, else as a path.
    private mutating func add(_ step: PlanStep, at source: DocumentPath, to object: Int) {
        let keys = source.components.compactMap { component -> String? in
            if case .key(let key) = component { return key }
            return nil
        }
        guard !keys.isEmpty, keys.count == source.components.count else {
            objects[object].paths.append((source.components, step))
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
        let passed = ObjectDraft(
            mapping: objects[object].mapping, policy: objects[object].policy,
            coercions: objects[object].coercions)
        objects.append(passed)
        objects[object].branches[branch].deeper = objects.count - 1
        objects[object].branches[branch].steps.append(
            PlanStep(
                property: -1, mapping: Int32(passed.mapping), object: Int32(objects.count - 1),
                transform: -1, action: .descend, policy: passed.policy,
                coercions: passed.coercions, hasDates: false))
        return objects.count - 1
    }

    // MARK: - Flattening

    func plan(root: Int, mapping: ObjectMapping) -> MappingPlan {
        var plans: [ObjectPlan] = []
        var keys: [PlanKey] = []
        var names: [String] = []
        var steps: [PlanStep] = []
        var slots: [Int32] = []
        var text: [UInt8] = []
        var paths: [MappingPlan.Path] = []
        for object in objects {
            let firstKey = keys.count
            let firstPath = paths.count
            let firstSlot = slots.count
            for branch in object.branches {
                let bytes = Array(branch.key.utf8)
                let (first, last) = Self.words(bytes)
                keys.append(
                    PlanKey(
                        first: first, last: last, length: Int32(bytes.count),
                        text: Int32(text.count), firstStep: Int32(steps.count),
                        endStep: Int32(steps.count + branch.steps.count)))
                names.append(branch.key)
                steps += branch.steps
                text += bytes
            }
            slots += Self.table(of: keys[firstKey...])
            for path in object.paths {
                paths.append(MappingPlan.Path(components: path.components, step: steps.count))
                steps.append(path.step)
            }
            plans.append(
                ObjectPlan(
                    firstKey: Int32(firstKey), keyCount: Int32(keys.count - firstKey),
                    firstSlot: Int32(firstSlot), slotMask: Int32(slots.count - firstSlot - 1),
                    firstPath: Int32(firstPath), pathCount: Int32(paths.count - firstPath),
                    mapping: Int32(object.mapping), policy: object.policy))
        }
        return MappingPlan(
            storage: PlanStorage(
                objects: plans, keys: keys, steps: steps, slots: slots, keyText: text),
            tables: tables, conversions: conversions, keyNames: names, paths: paths,
            transforms: transforms,
            rootStep: PlanStep(
                property: -1, mapping: 0, object: Int32(root), transform: -1, action: .assign,
                policy: mapping.policy, coercions: mapping.conversion.coercions,
                hasDates: mapping.conversion.hasDates),
            objectCount: plans.count)
    }

    /// The two words of a key, as ``PlanKey/words(_:_:)`` reads them from a document.
    private static func words(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (word(bytes.prefix(8)), bytes.count > 8 ? word(bytes.suffix(8)) : 0)
    }

    private static func table(of keys: ArraySlice<PlanKey>) -> [Int32] {
        var count = 4
        while count < keys.count * 2 { count *= 2 }
        var slots = [Int32](repeating: -1, count: count)
        for (index, key) in keys.enumerated() {
            var slot = PlanKey.hash(key.first, key.last, Int(key.length)) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = Int32(index)
        }
        return slots
    }
}
