// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A value of a document on its way to a property.
///
/// Invariant: made by a running plan and valid only during the call it is handed to; the run keeps
/// the document, the plan and the frame alive.
@frozen
@safe
public struct MappingSource {
    /// The value.
    public let node: NodeView
    @usableFromInline let step: UnsafePointer<PlanStep>
    @usableFromInline let frame: UnsafeMutablePointer<MappingFrame>

    @inlinable @inline(__always)
    init(
        node: NodeView, step: UnsafePointer<PlanStep>, frame: UnsafeMutablePointer<MappingFrame>
    ) {
        self.node = node
        unsafe self.step = step
        unsafe self.frame = frame
    }

    /// Reads the value as a type, through the attribute's transform if one was declared.
    ///
    /// - Throws: ``MappingFailure`` when the value does not fit the type, or is missing.
    @inlinable @inline(__always)
    public func read<Value: MappableValue>(_ type: Value.Type) throws(MappingFailure) -> Value {
        if unsafe step.pointee.isSpecial { return try readSpecially(type) }
        return try Value.map(from: self)
    }

    /// The same place in the plan, with another value: an element of a collection.
    @inlinable @inline(__always)
    public func at(_ index: Int) -> MappingSource {
        unsafe MappingSource(node: node.at(index), step: step, frame: frame)
    }

    /// Walks the object this value is, handing its properties to a destination.
    ///
    /// The plan is the one of the related mapping at this step.
    ///
    /// - Throws: ``MappingFailure`` when the policy says the object cannot be built, when none of
    ///   the keys it is mapped from is there, when objects are nested deeper than
    ///   ``MappingLimits/depth``, whatever the document's own limit, or when the run passes over the
    ///   document more often than ``MappingEnvironment/passLimit`` says.
    @inlinable
    public func walk<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        unsafe frame.pointee.depth &+= 1
        defer { unsafe frame.pointee.depth &-= 1 }
        unsafe frame.pointee.allowance &-= node.nextIndex &- node.index
        if unsafe frame.pointee.depth > MappingLimits.depth { throw tooDeep() }
        if unsafe frame.pointee.allowance < 0 { throw tooOften() }
        let object = unsafe frame.pointee.objects[Int(step.pointee.object)]
        if object.traits.contains(.special) { return try walkSpecially(object, into: &destination) }
        try walk(object, into: &destination)
    }

    /// Walks the object this value is for a destination that is there already: what it has is
    /// compared with what arrives.
    @inlinable
    func walk<Destination: MappingDestination>(
        filling destination: inout Destination
    ) throws(MappingFailure) {
        let outer = unsafe frame.pointee.filledDepth
        unsafe frame.pointee.filledDepth = frame.pointee.depth &+ 1
        defer { unsafe frame.pointee.filledDepth = outer }
        try walk(into: &destination)
    }

    @inlinable
    func walk<Destination: MappingDestination>(
        _ object: ObjectPlan, into destination: inout Destination
    ) throws(MappingFailure) {
        let end = node.node.contentEnd
        var expected = 0
        var key = node.index &+ 1
        while key < end {
            let value = node.at(key &+ 1)
            let found = match(node.at(key), object, &expected)
            if found >= 0 {
                let match = unsafe frame.pointee.keys[found]
                var next = Int(match.firstStep)
                repeat {
                    try unsafe take(frame.pointee.steps + next, value, into: &destination)
                    next &+= 1
                } while next < Int(match.endStep)
            }
            key = value.nextIndex
        }
        if expected == 0 || !object.traits.isEmpty {
            try finishWalk(object, isFound: expected > 0, into: &destination)
        }
    }

    /// Does one step with a value.
    @inlinable @inline(__always)
    func take<Destination: MappingDestination>(
        _ step: UnsafePointer<PlanStep>, _ value: NodeView, into destination: inout Destination
    ) throws(MappingFailure) {
        let source = unsafe MappingSource(node: value, step: step, frame: frame)
        do throws(MappingFailure) {
            switch unsafe step.pointee.action {
            case .assign:
                try unsafe destination.assign(Int(step.pointee.property), from: source)
            case .descend:
                if value.kind == .object {
                    let object = unsafe frame.pointee.objects[Int(step.pointee.object)]
                    try source.walk(object, into: &destination)
                } else {
                    try source.pass(into: &destination)
                }
            }
        } catch {
            try source.settle(error)
        }
    }

    @inlinable var context: MappingContext { unsafe frame.pointee.context.takeUnretainedValue() }

    /// The value, with its document.
    var element: Node { context.element(of: node) }

    /// Index of the step in the plan.
    var stepIndex: Int { unsafe step - frame.pointee.steps }

    /// What the step does besides converting the value.
    var detail: StepDetail { context.plan.details[stepIndex] }

    /// What the related object has besides its keys; nil for a step to none.
    var rule: ObjectRule? {
        let object = unsafe Int(step.pointee.object)
        return object < 0 ? nil : context.plan.rules[object]
    }
}

// MARK: - Problems

extension MappingSource {
    /// What happens to a value that does not fit.
    package var policy: IssuePolicy { unsafe step.pointee.policy }

    /// What happens to the object at the step when it cannot be built.
    package var objectPolicy: IssuePolicy {
        unsafe frame.pointee.objects[Int(step.pointee.object)].policy
    }

    /// Reports that the destination took a value, if somebody watches.
    package func watchAssigned(_ value: @autoclosure () -> Any) { watch(.set(value())) }

    /// Index in the plan of the object at the step.
    package var objectIndex: Int { unsafe Int(step.pointee.object) }

    /// The failure of a value that is of the wrong kind; null has a code of its own.
    @usableFromInline
    package func mismatch(_ expected: String) -> MappingFailure {
        failure(node.kind == .null ? .nullValue : .typeMismatch, expected)
    }

    /// A failure at this value, for value types outside the library too.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - expected: What the value should have been; never the value itself.
    /// - Returns: The failure, to be thrown.
    public func failure(_ code: MappingIssue.Code, _ expected: String) -> MappingFailure {
        failure(code, expected, at: node.index)
    }

    /// A failure at a value inside of this one, given by its index on the tape.
    func failure(_ code: MappingIssue.Code, _ expected: String, at node: Int) -> MappingFailure {
        MappingFailure(code, expected: expected, node: node)
    }

    /// Whether the mapping may do a coercion.
    @inlinable
    public func allows(_ kind: Coercion) -> Bool { unsafe step.pointee.coercions.allows(kind) }

    /// Notes that the value was converted from another kind.
    public func noteCoercion(_ kind: Coercion) {
        context.note(kind)
    }

    /// Notes that the value is converted from another kind, if the mapping allows it.
    ///
    /// - Throws: ``MappingFailure`` that the value is of the wrong kind, if it does not.
    public func coerce(_ kind: Coercion, _ expected: String) throws(MappingFailure) {
        guard allows(kind) else { throw mismatch(expected) }
        noteCoercion(kind)
    }

    /// The failure of text that does not say what a coercion needs, or may not be converted at all.
    func unfit(_ kind: Coercion, _ expected: String) -> MappingFailure {
        allows(kind) ? failure(.malformedValue, expected) : mismatch(expected)
    }

    /// Applies the policy to a property's failure; returns when the walk goes on.
    @usableFromInline
    func settle(_ failure: MappingFailure) throws(MappingFailure) {
        switch failure.progress {
        case .ended, .objectFailed: throw failure
        case .objectDropped: return
        case .fresh:
            let step = unsafe step.pointee
            context.record(
                failure, at: self, mapping: Int(step.mapping), property: Int(step.property))
            if step.policy.invalidValue == .drop, failure.code != .validationFailed { return }
            throw failure.advanced(to: .objectFailed)
        }
    }

    /// Applies the policy to an object that cannot be built.
    @usableFromInline
    func objectFailure(_ failure: MappingFailure) -> MappingFailure {
        let related = unsafe frame.pointee.objects[Int(step.pointee.object)]
        switch failure.progress {
        case .ended, .objectDropped: return failure
        case .fresh where context.blames(failure, at: self, mapping: Int(related.mapping)): break
        case .fresh:
            context.record(
                failure, at: self, mapping: Int(related.mapping), property: failure.property)
        case .objectFailed: break
        }
        watch(.failed(failure.code))
        // The work that is too much would go on elsewhere.
        if related.policy.invalidObject == .fail || failure.code == .passesExceeded {
            return failure.advanced(to: .ended)
        }
        context.droppedObjectCount += 1
        return failure.advanced(to: .objectDropped)
    }

    /// Lets a list go on without an element that failed, or throws on.
    @usableFromInline
    package func leaveOut(_ failure: MappingFailure, isObject: Bool) throws(MappingFailure) {
        var failure = failure
        if isObject { failure = objectFailure(failure) }
        if failure.progress == .objectDropped { return }
        let step = unsafe step.pointee
        if failure.progress == .fresh, step.policy.invalidElement == .drop {
            context.record(
                failure, at: self, mapping: Int(step.mapping), property: Int(step.property))
            return
        }
        throw failure
    }

    /// Counts an object that was built or filled.
    @inlinable @inline(__always)
    public func countObject() {
        unsafe frame.pointee.objectCount &+= 1
    }

    @usableFromInline
    func tooDeep() -> MappingFailure {
        failure(
            .depthExceeded,
            "related objects nested at most \(MappingLimits.depth) deep, in "
                + "\(MappingLimits.stackByteCount >> 10) KiB of stack")
    }

    @usableFromInline
    func tooOften() -> MappingFailure {
        failure(
            .passesExceeded,
            "relationships that pass over the document at most "
                + "\(context.environment.passLimit) times")
    }
}

/// Bounds of a run.
public enum MappingLimits {
    /// How deep related objects may be nested.
    ///
    /// The stacks of background threads may have 512 kB, of which a level of a plain run needs 5 at
    /// most.
    public static let depth = 64

    /// How often a run may pass over the values it begins with, and over its metadata; what
    /// ``MappingEnvironment/passLimit`` is by default.
    ///
    /// An object counts whenever it is mapped, with everything inside of it. Where each value is mapped
    /// once, there are as many passes as objects are nested, at most ``depth``. It takes relationships
    /// that lead to the same values again and again to get beyond this limit: of two that read the same
    /// source, in objects of their own type, each level doubles the work, so that a kilobyte would keep
    /// a processor busy for years.
    public static let passes = 1024

    /// How many bytes of stack the levels of a run may need together.
    ///
    /// Only a program built for debugging gets there before ``depth``, in a run that somebody
    /// observes or that fills an object, or under mappings that are more than plain.
    public static let stackByteCount = 384 << 10
}
