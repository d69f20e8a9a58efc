// SPDX-License-Identifier: Apache-2.0

import RestDocument

// The walk of an object that is not plain: its key is mapped, missing values are assigned, a dynamic
// mapping chooses it, or the run is observed.

extension PlanExecutor {
    @inline(never)
    func walkSpecially<Destination: MappingDestination>(
        _ object: ObjectPlanReference, into destination: inout Destination
    ) throws(MappingFailure) {
        if unsafe ExecutionState.usedStack(since: state) > MappingLimits.stackByteCount {
            throw depthExceeded()
        }
        if object.traits.contains(.dynamic) { return try walkChosen(into: &destination) }
        EventReporter(source).report(.began)
        defer { EventReporter(source).report(.ended) }
        var assigned = AssignedSteps(count: stepCount)
        let outerKeyCount = source.context.nestingKeyCount
        defer { source.context.removeNestingKeys(after: outerKeyCount) }
        if hasDependentObjects {
            return try walkWithDependentObjects(object, &assigned, into: &destination)
        }
        try walkNested(object, &assigned, into: &destination)
        try walkKeys(object, &assigned, into: &destination)
        _ = try executePaths(of: object, &assigned, into: &destination)
        try finishSpecialWalk(object, assigned, into: &destination)
    }

    /// A Boolean value that indicates whether related objects read properties of this one.
    @inline(never)
    private var hasDependentObjects: Bool {
        source.objectDetail?.dependentSteps.isEmpty == false
    }

    /// Walks an object whose related objects read its properties: they are mapped when it is
    /// complete.
    ///
    /// Not inlined: other objects need no such frame for each level.
    @inline(never)
    private func walkWithDependentObjects<Destination: MappingDestination>(
        _ object: ObjectPlanReference, _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        let context = source.context
        unsafe context.parentValues.push(at: state.pointee.depth)
        defer { context.parentValues.pop() }
        try walkNested(object, &assigned, into: &destination)
        try walkKeys(object, &assigned, into: &destination)
        _ = try executePaths(of: object, &assigned, into: &destination)
        let dependents = dependentValues()
        for (step, _) in dependents {
            unsafe assigned.insert(Int(state.pointee.steps[step].ordinal))
        }
        try finishSpecialWalk(object, assigned, into: &destination)
        for (step, value) in dependents {
            try execute(step, withLookedUp: value, &assigned, into: &destination)
        }
    }

    /// The steps to related objects that read properties of this one, with the values they are mapped
    /// from.
    private func dependentValues() -> [(step: Int, value: Node)] {
        let resolver = source.context.resolver
        return (source.objectDetail?.dependentSteps ?? []).compactMap { path, step in
            let value =
                path.components.isEmpty
                ? (KeyPresence(source).hasKey(ofObjectAt: step)
                    ? resolver.representation(source.documentNode) : nil)
                : resolver.value(at: path, of: source.documentNode, keepingEmptiness: true)
            return value.map { (step, $0) }
        }
    }

    /// Walks the object that the representation chooses.
    private func walkChosen<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        let chosen = try MappingChooser(source).chosenSource()
        let object = unsafe ObjectPlanReference(state, at: Int(chosen.step.pointee.object))
        if object.traits.contains(.special) {
            return try PlanExecutor(chosen).walkSpecially(object, into: &destination)
        }
        if view.kind == .object {
            return try PlanExecutor(chosen).walk(object, into: &destination)
        }
        try PlanExecutor(chosen).finishWalk(object, isFound: false, into: &destination)
    }

    private var stepCount: Int { source.objectDetail?.steps.count ?? 0 }

    /// Fails if nothing was found, then assigns missing values.
    private func finishSpecialWalk<Destination: MappingDestination>(
        _ object: ObjectPlanReference, _ assigned: AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        guard let detail = source.objectDetail else { return }
        if assigned.isEmpty, !detail.steps.isEmpty, !isEmptyRoot {
            for index in detail.steps { EventReporter(source).reportMissing(index) }
            try requireMappable(object)
        }
        try assignMissing(detail, assigned, into: &destination)
    }

    /// Walks the keys of the object, or the key of a single-member object.
    private func walkKeys<Destination: MappingDestination>(
        _ object: ObjectPlanReference, _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        if source.isSingleMember {
            return try walkKeys(
                object, from: view.index, to: view.at(view.index + 1).nextIndex, &assigned,
                into: &destination)
        }
        guard view.kind == .object else { return }
        try walkKeys(
            object, from: view.index + 1, to: view.contentEnd, &assigned, into: &destination)
    }

    private func walkKeys<Destination: MappingDestination>(
        _ object: ObjectPlanReference, from start: Int, to end: Int,
        _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        var matcher = unsafe KeyMatcher(object, state)
        var key = start
        while key < end {
            let value = view.at(key + 1)
            let found = matcher.match(view.at(key))
            key = value.nextIndex
            guard found >= 0 else { continue }
            let match = unsafe state.pointee.keys[found]
            for index in Int(match.firstStep)..<Int(match.endStep) {
                let next = unsafe state.pointee.steps + index
                let inner = unsafe ValueSource(view: value, step: next, state: state)
                guard unsafe next.pointee.action == .descend else {
                    unsafe assigned.insert(Int(next.pointee.ordinal))
                    try unsafe execute(next, with: value, into: &destination)
                    continue
                }
                do throws(MappingFailure) {
                    if value.kind == .object {
                        let intermediate =
                            unsafe ObjectPlanReference(state, at: Int(next.pointee.object))
                        try PlanExecutor(inner).walkKeys(
                            intermediate, from: value.index + 1, to: value.contentEnd, &assigned,
                            into: &destination)
                    } else {
                        try PlanExecutor(inner).walkElements(&assigned, into: &destination)
                    }
                } catch {
                    try PolicyEvaluator(inner).applyPropertyPolicy(to: error)
                }
            }
        }
    }

    /// Assigns the nesting key to its property, and the values below it to theirs.
    private func walkNested<Destination: MappingDestination>(
        _ object: ObjectPlanReference, _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        guard let detail = source.objectDetail, detail.nestedObject >= 0,
            let key = nestingKey(object)
        else { return }
        source.context.resolver.nestingKeys.append(key.string() ?? "")
        let step = unsafe state.pointee.steps + detail.nestingStep
        unsafe assigned.insert(Int(step.pointee.ordinal))
        try unsafe execute(step, with: key, into: &destination)
        let inner = unsafe ObjectPlanReference(state, at: detail.nestedObject)
        let value = PlanExecutor(source.at(key.index + 1))
        let view = value.view
        if view.kind == .object {
            try value.walkKeys(
                inner, from: view.index + 1, to: view.contentEnd, &assigned, into: &destination)
        }
        _ = try value.executePaths(of: inner, &assigned, into: &destination)
    }

    /// The key that names the object: the first that is not mapped itself.
    private func nestingKey(_ object: ObjectPlanReference) -> NodeView? {
        if source.isSingleMember { return view }
        guard view.kind == .object else { return nil }
        var matcher = unsafe KeyMatcher(object, state)
        var keys: [NodeView] = []
        for member in view.members where matcher.match(member.key) < 0 {
            keys.append(member.key)
        }
        if keys.count > 1 {
            source.context.record(
                source.failure(.severalKeys, "one key that names it"), at: source,
                mapping: object.mapping, property: -1)
        }
        return keys.first
    }

    /// Executes the steps without a value that the mapping assigns something to nevertheless.
    private func assignMissing<Destination: MappingDestination>(
        _ object: ObjectDetail, _ assigned: AssignedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        let context = source.context
        for (ordinal, index) in object.steps.enumerated() where !assigned.contains(ordinal) {
            let detail = context.plan.stepDetails[index]
            if detail.missing == .keep { EventReporter(source).reportMissing(index) }
            let keepsForChildren = detail.isReadByChildren && source.isFilled
            guard detail.missing != .keep || keepsForChildren else { continue }
            unsafe state.pointee.isMissing = true
            defer { unsafe state.pointee.isMissing = false }
            try unsafe execute(
                state.pointee.steps + index, with: view, into: &destination)
        }
    }
}
