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

    /// Returns another value of the same document at the same step, such as an element of a list.
    @inlinable @inline(__always)
    public func at(_ index: Int) -> ValueSource {
        unsafe ValueSource(view: view.at(index), step: step, state: state)
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
