// SPDX-License-Identifier: Apache-2.0

import RestDocument

// What follows the keys of an object: sources that are paths, and whether anything was there.

extension MappingSource {
    /// Ends the walk of an object's keys.
    @usableFromInline
    func finishWalk<Destination: MappingDestination>(
        _ object: ObjectPlan, isFound: Bool, into destination: inout Destination
    ) throws(MappingFailure) {
        if object.traits.contains(.passed) { return }
        var isFound = isFound
        if object.traits.contains(.late) {
            var fed = FedSteps(count: 1)
            isFound = hasKey(of: object)
            if try walkPaths(object, &fed, into: &destination) { isFound = true }
        }
        if !isFound, object.keyCount + object.pathCount > 0, !isEmptyRoot {
            try requireMappable(object)
        }
    }

    /// Attributes whose source is not a chain of keys; they come after all others.
    ///
    /// - Returns: Whether any had a value.
    func walkPaths<Destination: MappingDestination>(
        _ object: ObjectPlan, _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) -> Bool {
        let context = context
        var isFound = false
        for index in Int(object.firstPath)..<Int(object.firstPath + object.pathCount) {
            let path = context.plan.paths[index]
            let value: Node
            if path.isOptional, path.source.components.isEmpty {
                guard hasKey(ofObjectAt: path.step) else { continue }
                value = context.lookup.representation(element)
            } else if let (name, rest) = path.parentProperty {
                guard let found = heldValue(name, rest) else { continue }
                value = found
            } else {
                guard let found = context.lookup.value(at: path.source, of: element) else {
                    continue
                }
                value = found
            }
            isFound = true
            try feed(path.step, value, &fed, into: &destination)
        }
        return isFound
    }

    /// Does a step with a value that was looked up, which may be of another document.
    func feed<Destination: MappingDestination>(
        _ index: Int, _ value: Node, _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        let context = context
        let next = unsafe frame.pointee.steps + index
        unsafe fed.insert(Int(next.pointee.ordinal))
        let isForeign = value.storage !== context.storage
        if isForeign { context.enter(value.storage, at: node) }
        defer { if isForeign { context.leave() } }
        try unsafe take(next, value.storage.view(at: value.index), into: &destination)
    }

    /// Passes a value on the way to dotted sources that is no object.
    ///
    /// A list is spread: every source under it becomes the list of what its elements have there.
    @usableFromInline
    func pass<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        var fed = FedSteps(count: 1)
        try pass(&fed, into: &destination)
    }

    func pass<Destination: MappingDestination>(
        _ fed: inout FedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        if node.kind == .null { return }
        guard node.kind == .array else { throw mismatch("an object") }
        for (source, step) in rule?.inside ?? [] {
            guard let value = context.lookup.value(at: source, of: element) else { continue }
            try feed(step, value, &fed, into: &destination)
        }
    }
}

// MARK: - Whether anything is there

extension MappingSource {
    /// Whether the value has a key that the object a step leads to is mapped from.
    func hasKey(ofObjectAt step: Int) -> Bool {
        var asked: Set<Int> = []
        return hasKey(ofObjectAt: step, &asked)
    }

    /// The same for objects that are mapped from the whole value, and so may lead back to one
    /// another.
    private func hasKey(ofObjectAt step: Int, _ asked: inout Set<Int>) -> Bool {
        let related = unsafe Int(frame.pointee.steps[step].object)
        guard related >= 0 else { return true }
        let object = unsafe frame.pointee.objects[related]
        let rule = context.plan.rules[related]
        if rule.selector != nil || object.keyCount + object.pathCount == 0 {
            return rule.nestedObject < 0 || node.count > 0
        }
        if hasKey(of: object) { return true }
        guard object.pathCount > 0, asked.insert(step).inserted else { return false }
        for path in context.plan.paths[
            Int(object.firstPath)..<Int(object.firstPath + object.pathCount)]
        {
            if path.isOptional, path.source.components.isEmpty {
                if hasKey(ofObjectAt: path.step, &asked) { return true }
            } else if context.lookup.value(at: path.source, of: element) != nil {
                return true
            }
        }
        return false
    }

    /// Whether the value, an object, has a key that feeds a step; passing one is not enough.
    private func hasKey(of object: ObjectPlan) -> Bool {
        var expected = 0
        for member in node.members {
            let found = match(member.key, object, &expected)
            guard found >= 0 else { continue }
            let key = unsafe frame.pointee.keys[found]
            for index in Int(key.firstStep)..<Int(key.endStep) {
                let step = unsafe frame.pointee.steps[index]
                if step.action == .assign { return true }
                let passed = unsafe frame.pointee.objects[Int(step.object)]
                let source = unsafe MappingSource(
                    node: member.value, step: frame.pointee.steps + index, frame: frame)
                if member.value.kind == .object {
                    if source.hasKey(of: passed) { return true }
                } else if member.value.kind == .array {
                    let inside = source.rule?.inside ?? []
                    let lookup = context.lookup
                    if inside.contains(where: {
                        lookup.value(at: $0.source, of: source.element) != nil
                    }) {
                        return true
                    }
                }
            }
        }
        return false
    }

    /// Whether a new object begins the run and its representation is empty: it says nothing wrong,
    /// and the object has what it has by itself.
    var isEmptyRoot: Bool {
        unsafe node.kind == .object && node.count == 0 && frame.pointee.depth == 1
            && frame.pointee.filledDepth != 1
    }

    /// The failure of an object none of whose keys is there.
    ///
    /// At the root it is for the policy. A related object is reported and left out, as its property
    /// has something better than an empty object: what it had. A property that must have one object
    /// has nothing; there the object is built of its defaults, if it needs no more than those.
    func requireMappable(_ object: ObjectPlan) throws(MappingFailure) {
        let failure = failure(.unmappable, "one of the keys it is mapped from")
        guard unsafe frame.pointee.depth > 1 else { throw failure }
        if isRequiredObject { return }
        context.record(failure, at: self, mapping: Int(object.mapping), property: -1)
        watch(.failed(failure.code))
        context.droppedObjectCount += 1
        throw failure.advanced(to: .objectDropped)
    }

    /// Whether the value is for a property that must have one related object.
    private var isRequiredObject: Bool {
        let (mapping, property) = unsafe (Int(step.pointee.mapping), Int(step.pointee.property))
        guard property >= 0 else { return false }
        let declared = context.plan.tables[mapping].properties[property]
        return declared.isRequired && declared.relation?.isToMany == false
    }
}
