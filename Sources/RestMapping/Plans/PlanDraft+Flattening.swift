// SPDX-License-Identifier: Apache-2.0

extension PlanDraft {
    /// The finished plan.
    func plan(root: Int) -> MappingPlan {
        var flat = FlatPlan()
        for (index, object) in objects.enumerated() { flat.add(object, index, of: self) }
        let rootDetail = StepDetail(kind: .traversal, source: .whole, destination: "")
        let rootStep = flat.add(
            Step(property: -1, object: root, ordinal: 0, detail: rootDetail), of: root, self)
        for index in objects.indices where objects[index].isIntermediate {
            flat.objectDetails[index].nestedSources = nestedSources(of: index, flat)
        }
        flat.addCandidates(of: self)
        return MappingPlan(
            storage: PlanStorage(
                objects: flat.objects, keys: flat.keys, steps: flat.steps, slots: flat.slots,
                keyText: flat.text),
            tables: objects.map(\.table), dates: objects.map(\.conversion.dates),
            keyNames: flat.names, stepDetails: flat.stepDetails,
            objectDetails: flat.objectDetails, paths: flat.paths, root: root, rootStep: rootStep,
            warnings: diagnostics)
    }

    /// Returns the steps inside an intermediate object, with their sources relative to it.
    private func nestedSources(
        of object: Int, _ flat: FlatPlan
    ) -> [(source: SourcePath, step: Int)] {
        var found: [(source: SourcePath, step: Int)] = []
        let plan = flat.objects[object]
        for key in Int(plan.firstKey)..<Int(plan.firstKey + plan.keyCount) {
            let name = SourcePath.Component.key(flat.names[key])
            for step in Int(flat.keys[key].firstStep)..<Int(flat.keys[key].endStep) {
                guard flat.steps[step].action == .descend else {
                    found.append((SourcePath([name]), step))
                    continue
                }
                found += nestedSources(of: Int(flat.steps[step].object), flat).map {
                    (SourcePath([name] + $0.source.components), $0.step)
                }
            }
        }
        return found
    }
}

extension PlanDraft.ObjectDraft {
    /// A Boolean value that indicates whether an attribute takes the whole representation, which may be
    /// a plain value.
    fileprivate var takesPlainValue: Bool {
        paths.contains { $0.source.components.isEmpty && $0.step.detail.kind == .attribute }
    }

    /// A Boolean value that indicates whether properties are mapped from elements of the representation
    /// by position, and none from a key.
    fileprivate var takesList: Bool {
        branches.isEmpty
            && paths.contains {
                if case .index = $0.source.components.first { true } else { false }
            }
    }
}

/// The arrays of a plan under construction.
private struct FlatPlan {
    var objects: [ObjectPlan] = []
    var keys: [PlanKey] = []
    var names: [String] = []
    var steps: [PlanStep] = []
    var stepDetails: [StepDetail] = []
    var slots: [Int32] = []
    var text: [UInt8] = []
    var paths: [ObjectDetail.Path] = []
    var objectDetails: [ObjectDetail] = []

    mutating func add(_ step: PlanDraft.Step, of object: Int, _ draft: PlanDraft) -> Int {
        let owner = draft.objects[object]
        steps.append(
            PlanStep(
                property: Int32(step.property), mapping: Int32(owner.owner),
                object: Int32(step.object), ordinal: Int32(step.ordinal),
                action: step.isDescent ? .descend : .assign, isSpecial: step.detail.isSpecial,
                policy: step.policy ?? owner.policy, coercions: owner.conversion.coercions,
                hasDates: !step.isDescent && owner.conversion.hasDates))
        stepDetails.append(step.detail)
        return steps.count - 1
    }

    mutating func add(_ object: PlanDraft.ObjectDraft, _ index: Int, of draft: PlanDraft) {
        let firstKey = keys.count
        let firstPath = paths.count
        let firstSlot = slots.count
        var detail = ObjectDetail()
        for branch in object.branches {
            let bytes = Array(branch.key.utf8)
            let (first, last) = PlanKey.words(of: bytes)
            keys.append(
                PlanKey(
                    first: first, last: last, length: Int32(bytes.count), text: Int32(text.count),
                    firstStep: Int32(steps.count),
                    endStep: Int32(steps.count + branch.steps.count)))
            names.append(branch.key)
            text += bytes
            for step in branch.steps {
                let flat = add(step, of: index, draft)
                if !step.isDescent { detail.steps.append(flat) }
            }
        }
        slots += Self.table(of: keys[firstKey...])
        // Relationships come before attributes, and properties of held objects after both.
        let ranked = object.paths.enumerated().sorted {
            (rank($0.element.step.detail.kind), $0.offset)
                < (rank($1.element.step.detail.kind), $1.offset)
        }
        for (_, path) in ranked {
            let flat = add(path.step, of: index, draft)
            let kind = path.step.detail.kind
            let isOptional =
                kind == .nestedProperties || kind == .relationship && path.source.components.isEmpty
            paths.append(
                ObjectDetail.Path(
                    source: path.source, step: flat, isOptional: isOptional,
                    parentProperty: path.source.parentProperty))
            detail.steps.append(flat)
        }
        for step in object.dependentSteps {
            let flat = add(step, of: index, draft)
            detail.dependentSteps.append((step.detail.source, flat))
            detail.steps.append(flat)
        }
        if let nested = object.nested {
            detail.nestedObject = nested.object
            detail.nestingStep = add(nested.step, of: index, draft)
            detail.steps.append(detail.nestingStep)
        }
        detail.selector = object.selector
        detail.codable = object.codable
        detail.forcesCollection = object.isForced
        detail.takesPlainValue = takesPlainValue(object, in: draft)
        detail.takesList = takesList(object, in: draft)
        objectDetails.append(detail)
        objects.append(
            ObjectPlan(
                firstKey: Int32(firstKey), keyCount: Int32(keys.count - firstKey),
                firstSlot: Int32(firstSlot), slotMask: Int32(slots.count - firstSlot - 1),
                firstPath: Int32(firstPath), pathCount: Int32(paths.count - firstPath),
                mapping: Int32(object.owner), policy: object.policy,
                traits: traits(of: object, in: draft)))
    }

    private func rank(_ kind: StepDetail.Kind) -> Int {
        switch kind {
        case .relationship: 0
        case .attribute, .traversal: 1
        case .nestedProperties: 2
        }
    }

    private func traits(
        of object: PlanDraft.ObjectDraft, in draft: PlanDraft
    ) -> ObjectTraits {
        var traits: ObjectTraits = []
        if object.nested != nil || object.assignsMissing || object.isForced
            || !object.dependentSteps.isEmpty
        {
            traits.insert(.special)
        }
        if object.selector != nil { traits.formUnion([.special, .dynamic]) }
        if object.codable != nil { traits.insert(.decoded) }
        if object.selector == nil, object.table.subject is any ObjectMappable.Type {
            traits.insert(.provided)
        }
        if object.isIntermediate { traits.insert(.intermediate) }
        if object.isForced { traits.insert(.memberList) }
        if !object.paths.isEmpty || object.branches.contains(where: { $0.child != nil }) {
            traits.insert(.deferred)
        }
        if takesPlainValue(object, in: draft) || takesList(object, in: draft) {
            traits.insert(.wholeValue)
        }
        return traits
    }

    /// Returns a Boolean value that indicates whether an object may be mapped from a plain value; one
    /// that is chosen later may be, whatever value it is chosen for.
    private func takesPlainValue(
        _ object: PlanDraft.ObjectDraft, in draft: PlanDraft
    ) -> Bool {
        object.takesPlainValue || object.selector?.mayChooseUndeclared == true
            || object.candidates.contains { draft.objects[$0].takesPlainValue }
    }

    private func takesList(_ object: PlanDraft.ObjectDraft, in draft: PlanDraft) -> Bool {
        object.takesList || object.candidates.contains { draft.objects[$0].takesList }
    }

    /// Adds, for each step to a dynamic mapping, the same step to each of its candidates, and sorts the
    /// steps of each object by ordinal.
    mutating func addCandidates(of draft: PlanDraft) {
        for index in steps.indices where steps[index].object >= 0 {
            let candidates = draft.objects[Int(steps[index].object)].candidates
            guard !candidates.isEmpty else { continue }
            stepDetails[index].firstCandidate = steps.count
            for candidate in candidates {
                steps.append(steps[index].leading(to: candidate))
                stepDetails.append(stepDetails[index])
            }
        }
        for (index, object) in draft.objects.enumerated() where object.isIntermediate {
            objectDetails[object.owner].steps += objectDetails[index].steps
            objectDetails[index].steps = []
        }
        for index in objectDetails.indices {
            objectDetails[index].steps.sort { steps[$0].ordinal < steps[$1].ordinal }
        }
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
