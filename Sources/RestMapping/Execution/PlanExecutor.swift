// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Walks the representation of one object and passes its values to a destination.
///
/// A plain object is one pass over its keys. `PlanExecutor+Paths` ends the walk with paths, intermediate
/// objects and missing keys; `PlanExecutor+SpecialObjects` walks objects with special steps.
///
/// The walk is compiled once, not for each mapped type: only the destination's `assign`, which it
/// calls once for each property, is code of the type.
@frozen
@usableFromInline
@safe
struct PlanExecutor {
    // The parts of a source, because a program built for debugging copies the whole of it for each
    // access to one of them, and the frames of these functions are on the stack once for each level.
    @usableFromInline let view: NodeView
    @usableFromInline let step: UnsafePointer<PlanStep>
    @usableFromInline let state: UnsafeMutablePointer<ExecutionState>

    @inlinable @inline(__always)
    init(_ source: ValueSource) {
        view = source.view
        unsafe step = source.step
        unsafe state = source.state
    }

    /// The object.
    @inlinable @inline(__always)
    var source: ValueSource { unsafe ValueSource(view: view, step: step, state: state) }

    /// Walks the object that the plan has at the step, unless the representation is not an object or
    /// is not walked as a mapping of the destination's type: one is chosen, the type decodes itself, or
    /// provides the object.
    ///
    /// - Returns: Whether the object was walked.
    @usableFromInline
    func walkIfObject<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) -> Bool {
        if source.isIndirect { return false }
        guard view.kind == .object else { return try walkIfRepresentation(into: &destination) }
        try walkObject(upTo: view.contentEnd, into: &destination)
        return true
    }

    /// Walks the object that the plan has at the step.
    @usableFromInline
    func walk<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        if view.kind == .object {
            try walkObject(upTo: view.contentEnd, into: &destination)
        } else {
            _ = try walkIfRepresentation(into: &destination)
        }
    }

    /// Walks a value that is not an object, if it represents one.
    @inline(never)
    private func walkIfRepresentation<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) -> Bool {
        if source.isSingleMember {
            try walkObject(upTo: view.nextIndex, into: &destination)
        } else if source.isWholeValue {
            try walkWholeValue(into: &destination)
        } else if source.isEmptyListForObject {
            source.noteCoercion(.emptyListToObject)
            try walkWholeValue(into: &destination)
        } else {
            return false
        }
        return true
    }

    /// Walks a plain value or a list as an object without keys.
    @inline(never)
    private func walkWholeValue<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        unsafe state.pointee.depth &+= 1
        defer { unsafe state.pointee.depth &-= 1 }
        unsafe state.pointee.remainingNodeCount &-= view.nextIndex &- view.index
        if unsafe state.pointee.depth > MappingLimits.depth { throw depthExceeded() }
        if unsafe state.pointee.remainingNodeCount < 0 { throw passesExceeded() }
        let object = unsafe ObjectPlanReference(state, at: Int(step.pointee.object))
        if object.traits.contains(.special) { return try walkSpecially(object, into: &destination) }
        try finishWalk(object, isFound: false, into: &destination)
    }

    @inline(__always)
    private func walkObject<Destination: MappingDestination>(
        upTo end: Int, into destination: inout Destination
    ) throws(MappingFailure) {
        unsafe state.pointee.depth &+= 1
        defer { unsafe state.pointee.depth &-= 1 }
        unsafe state.pointee.remainingNodeCount &-= end &- view.index
        if unsafe state.pointee.depth > MappingLimits.depth { throw depthExceeded() }
        if unsafe state.pointee.remainingNodeCount < 0 { throw passesExceeded() }
        let object = unsafe ObjectPlanReference(state, at: Int(step.pointee.object))
        if object.traits.contains(.special) { return try walkSpecially(object, into: &destination) }
        try walkKeys(of: object, into: &destination)
    }

    /// Walks the object for a destination that holds an existing object: current values are compared
    /// with those of the document.
    @usableFromInline
    func walk<Destination: MappingDestination>(
        filling destination: inout Destination
    ) throws(MappingFailure) {
        let outer = unsafe state.pointee.filledDepth
        unsafe state.pointee.filledDepth = state.pointee.depth &+ 1
        defer { unsafe state.pointee.filledDepth = outer }
        try walk(into: &destination)
    }

    /// Walks an object that is not special.
    @inline(never)
    func walk<Destination: MappingDestination>(
        _ object: ObjectPlanReference, into destination: inout Destination
    ) throws(MappingFailure) {
        try walkKeys(of: object, into: &destination)
    }

    // Everything that this function calls, except `match` and `assign`, is rare and not inlined: the
    // loop then needs few registers.
    @inline(__always)
    private func walkKeys<Destination: MappingDestination>(
        of object: ObjectPlanReference, into destination: inout Destination
    ) throws(MappingFailure) {
        let end = view.tapeNode.contentEnd
        var matcher = unsafe KeyMatcher(object, state)
        var key = view.index &+ 1
        while key < end {
            let value = view.at(key &+ 1)
            let found = matcher.match(view.at(key))
            if found >= 0 {
                let match = unsafe state.pointee.keys[found]
                var next = Int(match.firstStep)
                repeat {
                    try unsafe execute(
                        state.pointee.steps + next, with: value, into: &destination)
                    next &+= 1
                } while next < Int(match.endStep)
            }
            key = value.nextIndex
        }
        if !matcher.hasMatched || !object.traits.isEmpty {
            try finishWalk(object, isFound: matcher.hasMatched, into: &destination)
        }
    }

    /// Executes one step with a value.
    @inline(__always)
    func execute<Destination: MappingDestination>(
        _ step: UnsafePointer<PlanStep>, with value: NodeView, into destination: inout Destination
    ) throws(MappingFailure) {
        let inner = unsafe ValueSource(view: value, step: step, state: state)
        do throws(MappingFailure) {
            switch unsafe step.pointee.action {
            case .assign:
                try unsafe destination.assign(Int(step.pointee.property), from: inner)
            case .descend: try PlanExecutor(inner).descend(into: &destination)
            }
        } catch {
            try PolicyEvaluator(inner).applyPropertyPolicy(to: error)
        }
    }

    /// Continues in the value of an intermediate key.
    @inline(never)
    private func descend<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        if view.kind == .object {
            let object = unsafe ObjectPlanReference(state, at: Int(step.pointee.object))
            try walk(object, into: &destination)
        } else {
            try walkElements(into: &destination)
        }
    }

    @inline(never)
    func depthExceeded() -> MappingFailure {
        source.failure(
            .depthExceeded,
            "related objects nested at most \(MappingLimits.depth) deep, in "
                + "\(MappingLimits.stackByteCount >> 10) KiB of stack")
    }

    @inline(never)
    private func passesExceeded() -> MappingFailure {
        source.failure(
            .passesExceeded,
            "relationships that visit the document at most "
                + "\(source.context.environment.passLimit) times")
    }
}
