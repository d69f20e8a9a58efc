// SPDX-License-Identifier: Apache-2.0

/// The state of a run that every value needs: the plan's arrays and a few counters.
///
/// Everything off the hot path is in the ``ExecutionContext``.
///
/// Invariant: lives on the stack of the call that runs the plan, which also keeps the plan and the
/// document alive; nothing below that call stores a pointer to it.
@frozen
@usableFromInline
@safe
struct ExecutionState {
    @usableFromInline let objects: UnsafePointer<ObjectPlan>
    @usableFromInline let keys: UnsafePointer<PlanKey>
    @usableFromInline let steps: UnsafePointer<PlanStep>
    @usableFromInline let slots: UnsafePointer<Int32>
    @usableFromInline let keyText: UnsafePointer<UInt8>
    @usableFromInline let context: Unmanaged<ExecutionContext>
    /// The number of related objects that the walk is inside.
    @usableFromInline var depth = 0
    /// The number of values that the run may still visit; those inside an object count each time it is
    /// mapped.
    @usableFromInline var remainingNodeCount: Int
    /// The number of objects that were built or filled.
    @usableFromInline var objectCount = 0
    /// The depth of the object that is filled instead of built; -1 for none.
    @usableFromInline var filledDepth = -1
    /// A Boolean value that indicates whether the step is executed for a missing value.
    @usableFromInline var isMissing = false

    /// Creates the state of a run.
    ///
    /// - Parameters:
    ///   - plan: The arrays of the plan.
    ///   - context: The state off the hot path.
    ///   - nodeLimit: The number of values that the run may visit.
    ///   - isObserved: Whether every object and every step is special.
    init(_ plan: PlanStorage, context: ExecutionContext, nodeLimit: Int, isObserved: Bool) {
        unsafe objects = plan.objects + (isObserved ? plan.objectCount : 0)
        unsafe keys = plan.keys
        unsafe steps = plan.steps + (isObserved ? plan.stepCount : 0)
        unsafe slots = plan.slots
        unsafe keyText = plan.keyText
        unsafe self.context = Unmanaged.passUnretained(context)
        remainingNodeCount = nodeLimit
    }
}

extension ExecutionState {
    /// Returns the number of bytes of stack between a state and the caller.
    ///
    /// Invariant: the state is on the stack of the calling thread; only addresses are compared.
    @inline(never)
    static func usedStack(since state: UnsafeMutablePointer<ExecutionState>) -> Int {
        var here = UInt8(0)
        return unsafe withUnsafeMutablePointer(to: &here) { here in
            let (top, bottom) = (Int(bitPattern: state), Int(bitPattern: here))
            return top > bottom ? top - bottom : bottom - top
        }
    }
}
