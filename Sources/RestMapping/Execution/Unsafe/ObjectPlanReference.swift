// SPDX-License-Identifier: Apache-2.0

/// An object of a running plan, read in place: a copy would occupy the registers that the walk needs.
///
/// Invariant: points into the plan's storage, which the run keeps alive; no reference leaves the run.
@safe
struct ObjectPlanReference {
    private let pointer: UnsafePointer<ObjectPlan>

    /// Creates a reference to the object at an index of the plan.
    @inline(__always)
    init(_ state: UnsafeMutablePointer<ExecutionState>, at index: Int) {
        unsafe pointer = state.pointee.objects + index
    }

    @inline(__always) var firstKey: Int { unsafe Int(pointer.pointee.firstKey) }
    @inline(__always) var keyCount: Int { unsafe Int(pointer.pointee.keyCount) }
    @inline(__always) var firstSlot: Int { unsafe Int(pointer.pointee.firstSlot) }
    @inline(__always) var slotMask: Int { unsafe Int(pointer.pointee.slotMask) }
    @inline(__always) var firstPath: Int { unsafe Int(pointer.pointee.firstPath) }
    @inline(__always) var pathCount: Int { unsafe Int(pointer.pointee.pathCount) }
    @inline(__always) var mapping: Int { unsafe Int(pointer.pointee.mapping) }
    @inline(__always) var traits: ObjectTraits { unsafe pointer.pointee.traits }
}
