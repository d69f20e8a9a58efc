// SPDX-License-Identifier: Apache-2.0

/// A step of a request plan: a key with a property's value, or an object inside the representation.
@usableFromInline
struct RequestStep: BitwiseCopyable {
    /// The action of a step.
    @usableFromInline
    enum Action: UInt8, BitwiseCopyable {
        /// Writes the key and the property's value.
        case value
        /// Writes the key and an object with further steps of the same subject.
        case nested
        /// Writes a property's value as the key, and an object with further steps of the same
        /// subject.
        case nestedUnderValue
    }

    /// The index of the property in its table.
    @usableFromInline var property: Int32
    /// The index of the object plan of a related or nested object; -1 for none.
    @usableFromInline var object: Int32
    /// The index of the value options that the mapping declares; -1 for none.
    @usableFromInline var options: Int32
    /// The offset of the key in the plan's text, in the form `,"key":`.
    @usableFromInline var key: Int32
    /// The byte count of that text.
    @usableFromInline var keyLength: Int32
    /// The action.
    @usableFromInline var action: Action
    /// A Boolean value that indicates whether nil leaves the key out instead of being written as
    /// null.
    @usableFromInline var omitsNil: Bool
    /// A Boolean value that indicates whether a transform converts the value, in place of its type.
    @usableFromInline var isTransformed = false
}

/// The plan of one object.
@usableFromInline
struct RequestObjectPlan: BitwiseCopyable {
    /// The kind of an object.
    @usableFromInline
    enum Kind: UInt8, BitwiseCopyable {
        /// An object of the representation.
        case members
        /// The value of its only step, without braces, for a path through the object.
        case projection
        /// The object of a mapping that is chosen for each subject.
        case chosen
        /// A list, with the values of the steps as its elements.
        case elements
        /// An object of the representation, or in a list of subjects, members of one object for all.
        case memberList
    }

    /// The index of its first step.
    @usableFromInline var firstStep: Int32
    /// The index after its last step.
    @usableFromInline var endStep: Int32
    /// The index of its mapping, for issues; of the choice, for a chosen object.
    @usableFromInline var mapping: Int32
    /// The kind of the object.
    @usableFromInline var kind: Kind
}

/// The arrays of a compiled request mapping, allocated once and never changed.
///
/// `@unchecked Sendable` invariant: the buffers are written in `init` and never again; they are
/// freed with the last plan that shares them.
@usableFromInline
@safe
final class RequestPlanStorage: @unchecked Sendable {
    @usableFromInline let objects: UnsafePointer<RequestObjectPlan>
    @usableFromInline let steps: UnsafePointer<RequestStep>
    let keyText: UnsafePointer<UInt8>
    let objectCount: Int
    let stepCount: Int

    init(objects: [RequestObjectPlan], steps: [RequestStep], keyText: [UInt8]) {
        func copy<Element: BitwiseCopyable>(_ source: [Element]) -> UnsafePointer<Element> {
            let target = UnsafeMutablePointer<Element>.allocate(capacity: max(source.count, 1))
            for (index, element) in source.enumerated() {
                unsafe (target + index).initialize(to: element)
            }
            return unsafe UnsafePointer(target)
        }
        unsafe self.objects = copy(objects)
        unsafe self.steps = copy(steps)
        // Keys are copied sixteen bytes at a time.
        unsafe self.keyText = copy(keyText + [UInt8](repeating: 0, count: 16))
        objectCount = objects.count
        stepCount = steps.count
    }

    deinit {
        unsafe objects.deallocate()
        unsafe steps.deallocate()
        unsafe keyText.deallocate()
    }
}
