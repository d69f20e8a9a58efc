// SPDX-License-Identifier: Apache-2.0

import RestDocument

// The end of a walk: sources that are paths, lists on the way to dotted sources, and objects none of
// whose keys is present.

extension PlanExecutor {
    /// Ends the walk of an object's keys.
    @inline(never)
    func finishWalk<Destination: MappingDestination>(
        _ object: ObjectPlanReference, isFound: Bool, into destination: inout Destination
    ) throws(MappingFailure) {
        if object.traits.contains(.intermediate) { return }
        var isFound = isFound
        if object.traits.contains(.deferred) {
            var assigned = AssignedSteps(count: 1)
            isFound = KeyPresence(source).hasKey(of: object)
            if try executePaths(of: object, &assigned, into: &destination) { isFound = true }
        }
        if !isFound, object.keyCount + object.pathCount > 0, !isEmptyRoot {
            try requireMappable(object)
        }
    }

    /// Executes the steps whose source is not a chain of keys; they follow all others.
    ///
    /// - Returns: Whether any had a value.
    func executePaths<Destination: MappingDestination>(
        of object: ObjectPlanReference, _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) -> Bool {
        guard object.pathCount > 0 else { return false }
        let context = source.context
        let resolver = context.resolver
        var isFound = false
        for index in object.firstPath..<object.firstPath + object.pathCount {
            let path = context.plan.paths[index]
            resolver.unsuitableValue = nil
            let value: Node
            if path.isOptional, path.source.components.isEmpty {
                guard KeyPresence(source).hasKey(ofObjectAt: path.step) else { continue }
                value = resolver.representation(source.documentNode)
            } else if let (name, rest) = path.parentProperty {
                guard let found = parentValue(of: name, at: rest) else { continue }
                value = found
            } else {
                let found = resolver.value(
                    at: path.source, of: source.documentNode, keepingEmptiness: true)
                guard let found else { continue }
                value = found
            }
            isFound = true
            try execute(path.step, withLookedUp: value, &assigned, into: &destination)
        }
        return isFound
    }

    /// Executes a step with a value that was looked up, which may belong to another document.
    func execute<Destination: MappingDestination>(
        _ index: Int, withLookedUp value: Node, _ assigned: inout AssignedSteps,
        into destination: inout Destination
    ) throws(MappingFailure) {
        let context = source.context
        let next = unsafe state.pointee.steps + index
        unsafe assigned.insert(Int(next.pointee.ordinal))
        let isForeign = value.storage !== context.storage
        if isForeign { context.resolver.enter(value.storage, from: view) }
        defer { if isForeign { context.resolver.leave() } }
        if let unsuitable = context.resolver.unsuitableValue, unsuitable.isOf(value) {
            let source = unsafe ValueSource(
                view: value.storage.view(at: value.index), step: next, state: state)
            let failure = source.failure(.typeMismatch, unsuitable.expected)
            return try PolicyEvaluator(source).applyPropertyPolicy(to: failure)
        }
        try unsafe execute(next, with: value.storage.view(at: value.index), into: &destination)
    }

    /// Maps a value that is not an object where dotted sources continue.
    ///
    /// A source of null has the value null. A source of a list has the list of the values in its elements.
    func walkElements<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        var assigned = AssignedSteps(count: 1)
        try walkElements(&assigned, into: &destination)
    }

    func walkElements<Destination: MappingDestination>(
        _ assigned: inout AssignedSteps, into destination: inout Destination
    ) throws(MappingFailure) {
        let node = source.documentNode
        guard node.isNull || view.kind == .array else { throw source.mismatch("an object") }
        for (path, step) in source.objectDetail?.nestedSources ?? [] {
            let found = source.context.resolver.value(at: path, of: node, keepingEmptiness: true)
            guard let found else { continue }
            try execute(step, withLookedUp: found, &assigned, into: &destination)
        }
    }

    /// The value of a source that begins with a property of the parent object.
    private func parentValue(of property: String, at rest: SourcePath) -> Node? {
        let depth = unsafe state.pointee.depth - 1
        let context = source.context
        guard let value = context.parentValues.value(of: property, at: depth) else { return nil }
        return rest.components.isEmpty
            ? value.root : context.resolver.value(at: rest, of: value.root)
    }

    // MARK: Absent objects

    /// A Boolean value that indicates whether the run builds its first object from an empty
    /// representation: nothing in it is wrong, and the object has its defaults.
    var isEmptyRoot: Bool {
        unsafe (view.kind == .object || view.kind == .array) && view.count == 0
            && state.pointee.depth == 1 && state.pointee.filledDepth != 1
    }

    /// Throws the failure of an object none of whose keys is present.
    ///
    /// At the root the policy decides. A related object is reported and dropped, because its property
    /// has something better than an empty object: its earlier value. A property that must have one
    /// object has none; there the object is built of its defaults, if it needs no more than those.
    func requireMappable(_ object: ObjectPlanReference) throws(MappingFailure) {
        let failure = source.failure(.unmappable, "one of the keys it is mapped from")
        guard unsafe state.pointee.depth > 1 else { throw failure }
        if isRequiredObject { return }
        let context = source.context
        context.record(failure, at: source, mapping: object.mapping, property: -1)
        EventReporter(source).report(.failed(failure.code))
        context.issues.droppedObjectCount += 1
        throw failure.advanced(to: .objectDropped)
    }

    /// A Boolean value that indicates whether the value is for a property that must have one related
    /// object.
    private var isRequiredObject: Bool {
        let step = unsafe step.pointee
        guard step.property >= 0 else { return false }
        let declared = source.context.plan.tables[Int(step.mapping)].properties[Int(step.property)]
        return declared.isRequired && declared.relation?.isToMany == false
    }
}
