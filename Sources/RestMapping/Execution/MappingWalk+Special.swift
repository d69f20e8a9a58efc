// SPDX-License-Identifier: Apache-2.0

import RestDocument

// The walk of an object that is not plain: its key has a meaning, what is missing matters, it is
// one of several, or somebody watches.

extension MappingSource {
    @usableFromInline
    func walkSpecially<Destination: MappingDestination>(
        _ object: ObjectPlan, into destination: inout Destination
    ) throws(MappingFailure) {
        if unsafe MappingFrame.usedStack(since: frame) > MappingLimits.stackByteCount {
            throw tooDeep()
        }
        if object.traits.contains(.dynamic) { return try walkChosen(into: &destination) }
        watch(.began)
        defer { watch(.ended) }
        var fed = FedSteps(count: stepCount)
        let outerKeys = context.nestingKeys.count
        defer { forgetNestingKeys(after: outerKeys) }
        if isAsked { return try walkAsked(object, &fed, into: &destination) }
        try walkNested(object, &fed, into: &destination)
        try walkKeys(object, &fed, into: &destination)
        _ = try walkPaths(object, &fed, into: &destination)
        try finishSpecialWalk(object, fed, into: &destination)
    }

    /// Whether related objects ask what this one becomes.
    @inline(never)
    private var isAsked: Bool { rule?.askingSteps.isEmpty == false }

    /// Walks an object whose related objects ask it: they come when it is complete.
    ///
    /// Not inlined: other objects need no such frame for every level.
    @inline(never)
    private func walkAsked<Destination: MappingDestination>(
        _ object: ObjectPlan, _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        unsafe context.held.begin(at: frame.pointee.depth)
        defer { context.held.end() }
        try walkNested(object, &fed, into: &destination)
        try walkKeys(object, &fed, into: &destination)
        _ = try walkPaths(object, &fed, into: &destination)
        let heldBack = heldBack()
        for (step, _) in heldBack { unsafe fed.insert(Int(frame.pointee.steps[step].ordinal)) }
        try finishSpecialWalk(object, fed, into: &destination)
        for (step, value) in heldBack { try feed(step, value, &fed, into: &destination) }
    }

    /// Walks the object that the representation chooses.
    private func walkChosen<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        let chosen = try chosenSource()
        let object = unsafe frame.pointee.objects[Int(chosen.step.pointee.object)]
        if object.traits.contains(.special) {
            return try chosen.walkSpecially(object, into: &destination)
        }
        return try chosen.walk(object, into: &destination)
    }

    private var stepCount: Int { rule?.steps.count ?? 0 }

    private func forgetNestingKeys(after count: Int) {
        while context.nestingKeys.count > count { context.nestingKeys.removeLast() }
    }

    /// Says that nothing was there, or tells the steps without a value.
    private func finishSpecialWalk<Destination: MappingDestination>(
        _ object: ObjectPlan, _ fed: FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        guard let rule else { return }
        if fed.isEmpty, !rule.steps.isEmpty, !isEmptyRoot {
            for index in rule.steps { watchMissing(index) }
            try requireMappable(object)
        }
        try feedMissing(rule, fed, into: &destination)
    }

    /// Walks the keys of the object, or the only one of an entry.
    private func walkKeys<Destination: MappingDestination>(
        _ object: ObjectPlan, _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        if isEntry {
            return try walkKeys(
                object, from: node.index, to: node.at(node.index + 1).nextIndex, &fed,
                into: &destination)
        }
        try walkKeys(
            object, from: node.index + 1, to: node.contentEnd, &fed, into: &destination)
    }

    private func walkKeys<Destination: MappingDestination>(
        _ object: ObjectPlan, from start: Int, to end: Int, _ fed: inout FedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        var expected = 0
        var key = start
        while key < end {
            let value = node.at(key + 1)
            let found = match(node.at(key), object, &expected)
            key = value.nextIndex
            guard found >= 0 else { continue }
            let match = unsafe frame.pointee.keys[found]
            for index in Int(match.firstStep)..<Int(match.endStep) {
                let next = unsafe frame.pointee.steps + index
                let source = unsafe MappingSource(node: value, step: next, frame: frame)
                guard unsafe next.pointee.action == .descend else {
                    unsafe fed.insert(Int(next.pointee.ordinal))
                    try unsafe take(next, value, into: &destination)
                    continue
                }
                do throws(MappingFailure) {
                    if value.kind == .object {
                        let passed = unsafe frame.pointee.objects[Int(next.pointee.object)]
                        try source.walkKeys(
                            passed, from: value.index + 1, to: value.contentEnd, &fed,
                            into: &destination)
                    } else {
                        try source.pass(&fed, into: &destination)
                    }
                } catch {
                    try source.settle(error)
                }
            }
        }
    }

    /// Feeds the key of the representation to its property, and what its value holds to theirs.
    private func walkNested<Destination: MappingDestination>(
        _ object: ObjectPlan, _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        guard let rule, rule.nestedObject >= 0, let key = nestingKey(object) else { return }
        context.nestingKeys.append(key.string() ?? "")
        let step = unsafe frame.pointee.steps + rule.nestingStep
        unsafe fed.insert(Int(step.pointee.ordinal))
        try unsafe take(step, key, into: &destination)
        let inner = unsafe frame.pointee.objects[rule.nestedObject]
        let value = unsafe MappingSource(
            node: node.at(key.index + 1), step: self.step, frame: frame)
        if value.node.kind == .object {
            try value.walkKeys(
                inner, from: value.node.index + 1, to: value.node.contentEnd, &fed,
                into: &destination)
        }
        _ = try value.walkPaths(inner, &fed, into: &destination)
    }

    /// The key that names the object: the first that is not mapped itself.
    private func nestingKey(_ object: ObjectPlan) -> NodeView? {
        if isEntry { return node }
        var expected = 0
        let keys = node.members.map(\.key).filter {
            match($0, object, &expected) < 0
        }
        if keys.count > 1 {
            context.record(
                failure(.severalKeys, "one key that names it"), at: self,
                mapping: Int(object.mapping), property: -1)
        }
        return keys.first
    }

    /// Tells the steps without a value that there is none.
    private func feedMissing<Destination: MappingDestination>(
        _ rule: ObjectRule, _ fed: FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        let context = context
        for (ordinal, index) in rule.steps.enumerated() where !fed.contains(ordinal) {
            let detail = context.plan.details[index]
            let isFilled = unsafe frame.pointee.depth == frame.pointee.filledDepth
            if detail.missing == .keep { watchMissing(index) }
            guard detail.missing != .keep || detail.isHeld && isFilled else { continue }
            unsafe frame.pointee.isMissing = true
            defer { unsafe frame.pointee.isMissing = false }
            try unsafe take(frame.pointee.steps + index, node, into: &destination)
        }
    }
}
