// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A value of a document, with the step of a plan that maps it.
///
/// Value types and the code that `@Mapped` generates read from it. A running plan creates it.
///
/// Invariant: valid only during the call it is passed to; the run keeps the document, the plan and
/// the state alive.
@frozen
@safe
public struct ValueSource {
    /// The value.
    public let view: NodeView
    @usableFromInline let step: UnsafePointer<PlanStep>
    @usableFromInline let state: UnsafeMutablePointer<ExecutionState>

    @inlinable @inline(__always)
    init(
        view: NodeView, step: UnsafePointer<PlanStep>, state: UnsafeMutablePointer<ExecutionState>
    ) {
        self.view = view
        unsafe self.step = step
        unsafe self.state = state
    }

    /// Reads the value as a type, through the attribute's transform if the mapping declares one.
    ///
    /// - Throws: ``MappingFailure`` when the value does not fit the type, or is missing.
    @inlinable @inline(__always)
    public func read<Value: MappableValue>(_ type: Value.Type) throws(MappingFailure) -> Value {
        if unsafe step.pointee.isSpecial { return try PropertyAssigner(self).read(type) }
        return try Value.map(from: self)
    }

    /// Returns another value of the same document at the same step, such as an element of a list.
    @inlinable @inline(__always)
    public func at(_ index: Int) -> ValueSource {
        unsafe ValueSource(view: view.at(index), step: step, state: state)
    }

    /// Walks the object and passes its properties to a destination.
    ///
    /// The plan is the one of the related mapping at this step.
    ///
    /// - Throws: ``MappingFailure`` when the policy is to fail the object for one of its values, when
    ///   none of its mapped keys is present, when objects are nested deeper than
    ///   ``MappingLimits/depth``, independent of the document's own limit, or when the run visits the
    ///   document more often than ``MappingEnvironment/passLimit`` allows.
    @inlinable @inline(__always)
    public func walk<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        try PlanExecutor(self).walk(into: &destination)
    }

    /// Counts an object that was built or filled.
    @inlinable @inline(__always)
    public func countObject() {
        unsafe state.pointee.objectCount &+= 1
    }
}

// MARK: - Failures

extension ValueSource {
    /// Returns the failure of a value of the wrong kind; null has a code of its own.
    @usableFromInline
    package func mismatch(_ expected: String) -> MappingFailure {
        failure(view.kind == .null ? .nullValue : .typeMismatch, expected)
    }

    /// Returns a failure at this value.
    ///
    /// Value types outside the library throw it too.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - expected: A description of a valid value; never the value itself.
    /// - Returns: The failure, to be thrown.
    public func failure(_ code: MappingIssue.Code, _ expected: String) -> MappingFailure {
        failure(code, expected, at: view.index)
    }

    /// Returns a failure at a value inside this one, given by its index on the tape.
    func failure(_ code: MappingIssue.Code, _ expected: String, at node: Int) -> MappingFailure {
        MappingFailure(code, expected: expected, node: node)
    }

    /// Returns the failure of text that is malformed for a coercion, or of the wrong kind where the
    /// mapping does not allow the coercion.
    func conversionFailure(_ kind: Coercion, _ expected: String) -> MappingFailure {
        allows(kind) ? failure(.malformedValue, expected) : mismatch(expected)
    }
}

// MARK: - Coercions

extension ValueSource {
    /// Returns a Boolean value that indicates whether the mapping allows a coercion.
    @inlinable
    public func allows(_ kind: Coercion) -> Bool { unsafe step.pointee.coercions.allows(kind) }

    /// Counts a coercion that was applied to the value.
    public func noteCoercion(_ kind: Coercion) {
        context.issues.count(kind)
    }

    /// Counts a coercion of the value if the mapping allows it.
    ///
    /// - Throws: ``MappingFailure`` for a value of the wrong kind if it does not.
    public func coerce(_ kind: Coercion, _ expected: String) throws(MappingFailure) {
        guard allows(kind) else { throw mismatch(expected) }
        noteCoercion(kind)
    }
}

// MARK: - Queries of a destination

extension ValueSource {
    /// A Boolean value that indicates whether the representation has no value for the property and
    /// the mapping assigns one nevertheless: the default to an attribute, nothing to a relationship.
    ///
    /// Drafts need not check it; ``read(_:)`` throws.
    @inlinable
    public var isMissing: Bool { unsafe state.pointee.isMissing }

    /// A Boolean value that indicates whether the value is present, and the mapping declares nothing for it
    /// besides its conversion.
    @inlinable @inline(__always)
    package var isPlain: Bool { unsafe !step.pointee.isSpecial && !state.pointee.isMissing }

    /// The value that the mapping declares for a missing one; `nil` if it declares none.
    public var defaultForMissing: (any Sendable)? { stepDetail.defaultValue }

    /// The effect of new objects on those that the relationship holds.
    ///
    /// A store reads it before it maps the new ones.
    public var assignment: AssignmentPolicy {
        unsafe step.pointee.isSpecial ? stepDetail.assignment : .set
    }

    /// The properties of the type or entity that the value is mapped to.
    public var table: PropertyTable { context.plan.tables[unsafe Int(step.pointee.object)] }

    /// Returns the same value at the step to the object that a dynamic mapping chooses, for
    /// destinations that are not typed objects; ``table`` describes that object.
    ///
    /// - Throws: ``MappingFailure`` with the policy applied if no mapping was chosen, or if one was
    ///   chosen that was not compiled with the plan.
    public func chosenSource() throws(MappingFailure) -> ValueSource {
        try MappingChooser(self).chosenSource()
    }

    /// The index of the value on the tape of the run's document; for a value of another document,
    /// the index of the value that it was looked up for.
    package var location: Int { context.location(of: view) }

    /// The policy for a value that does not fit.
    package var policy: IssuePolicy { unsafe step.pointee.policy }

    /// The policy for an object at the step that cannot be built.
    package var objectPolicy: IssuePolicy {
        unsafe state.pointee.objects[Int(step.pointee.object)].policy
    }

    /// The index in the plan of the object at the step.
    package var objectIndex: Int { unsafe Int(step.pointee.object) }

    /// A Boolean value that indicates whether the value is the object itself, of which properties are
    /// assigned to a related object that has been mapped already.
    package var fillsRelatedObject: Bool {
        unsafe step.pointee.isSpecial && stepDetail.kind == .nestedProperties
    }

    /// The type of the values that the mapping validates at the step; `nil` if it validates none.
    package var validatedType: (any Any.Type)? {
        unsafe step.pointee.isSpecial ? stepDetail.validation?.valueType : nil
    }

    /// Validates a value that is about to be assigned, as the mapping declares.
    ///
    /// - Returns: The value to assign; `nil` if the property keeps its value.
    /// - Throws: ``MappingFailure`` with code `validationFailed` if the validation throws.
    package func validated<Value>(_ value: Value) throws(MappingFailure) -> Value? {
        guard let validation = stepDetail.validation as? PropertyValidation<Value> else {
            return value
        }
        let result: Validation<Value>
        do { result = try validation.check(value) } catch {
            context.issues.underlyingError = error
            throw failure(.validationFailed, "what its validation accepts")
        }
        switch result {
        case .accept: return value
        case .replace(let other): return other
        case .reject:
            EventReporter(self).report(.rejected(value))
            return nil
        }
    }

    /// Reports to the observer that the destination took a value.
    package func reportAssigned(_ value: @autoclosure () -> Any) {
        EventReporter(self).report(.set(value()))
    }
}

// MARK: - The run

extension ValueSource {
    @inlinable var context: ExecutionContext {
        unsafe state.pointee.context.takeUnretainedValue()
    }

    /// The value, with its document.
    var documentNode: Node { context.node(at: view) }

    /// The index of the step in the plan.
    var stepIndex: Int { unsafe step - state.pointee.steps }

    /// The declarations of the step besides its conversion.
    var stepDetail: StepDetail { context.plan.stepDetails[stepIndex] }

    /// The declarations of the related object besides its keys; `nil` for a step without one.
    var objectDetail: ObjectDetail? {
        let object = unsafe Int(step.pointee.object)
        return object < 0 ? nil : context.plan.objectDetails[object]
    }

    /// A Boolean value that indicates whether the object is filled instead of built.
    var isFilled: Bool { unsafe state.pointee.depth == state.pointee.filledDepth }
}
