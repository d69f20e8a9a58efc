// SPDX-License-Identifier: Apache-2.0

/// The arrays of a compiled plan, allocated once and only read afterwards.
///
/// `@unchecked Sendable` invariant: the buffers are written in `init` and never again; they are
/// freed when the last plan that shares them is released.
@safe
final class PlanStorage: @unchecked Sendable {
    /// The object plans.
    let objects: UnsafePointer<ObjectPlan>
    /// The keys of all objects.
    let keys: UnsafePointer<PlanKey>
    /// The steps of all objects.
    let steps: UnsafePointer<PlanStep>
    /// The hash tables: the index of a key within its object, or -1.
    let slots: UnsafePointer<Int32>
    /// The bytes of all keys.
    let keyText: UnsafePointer<UInt8>

    /// The number of objects; their copies for observed runs follow them.
    let objectCount: Int
    /// The number of steps; their copies for observed runs follow them.
    let stepCount: Int

    private let buffers: [UnsafeMutableRawPointer]

    init(
        objects: [ObjectPlan], keys: [PlanKey], steps: [PlanStep], slots: [Int32], keyText: [UInt8]
    ) {
        func copy<Element: BitwiseCopyable>(_ source: [Element]) -> UnsafeMutablePointer<Element> {
            let target = UnsafeMutablePointer<Element>.allocate(capacity: max(source.count, 1))
            for (index, element) in source.enumerated() {
                unsafe (target + index).initialize(to: element)
            }
            return unsafe target
        }
        objectCount = objects.count
        stepCount = steps.count
        let objects = objects + objects.map(\.observed)
        let steps = steps + steps.map(\.observed)
        let objectBuffer = unsafe copy(objects)
        let keyBuffer = unsafe copy(keys)
        let stepBuffer = unsafe copy(steps)
        let slotBuffer = unsafe copy(slots)
        let textBuffer = unsafe copy(keyText)
        unsafe self.objects = UnsafePointer(objectBuffer)
        unsafe self.keys = UnsafePointer(keyBuffer)
        unsafe self.steps = UnsafePointer(stepBuffer)
        unsafe self.slots = UnsafePointer(slotBuffer)
        unsafe self.keyText = UnsafePointer(textBuffer)
        unsafe buffers = [
            UnsafeMutableRawPointer(objectBuffer), UnsafeMutableRawPointer(keyBuffer),
            UnsafeMutableRawPointer(stepBuffer), UnsafeMutableRawPointer(slotBuffer),
            UnsafeMutableRawPointer(textBuffer),
        ]
    }

    deinit {
        unsafe buffers.forEach { buffer in unsafe buffer.deallocate() }
    }
}

extension PlanStorage {
    func object(_ index: Int) -> ObjectPlan { unsafe objects[index] }
    func key(_ index: Int) -> PlanKey { unsafe keys[index] }
    func step(_ index: Int) -> PlanStep { unsafe steps[index] }
}
