// SPDX-License-Identifier: Apache-2.0

/// One thing to write: a key with a property's value, or an object inside the representation.
@usableFromInline
struct ParameterStep: BitwiseCopyable {
    /// What a step writes.
    @usableFromInline
    enum Action: UInt8, BitwiseCopyable {
        /// The key and the property's value.
        case value
        /// The key and an object of more steps for the same subject.
        case nested
        /// A property's value as the key, and an object of more steps for the same subject.
        case nestedUnderValue
    }

    /// Index of the property in its table.
    @usableFromInline var property: Int32
    /// Index of the object that a related object becomes, or that is nested; -1 for none.
    @usableFromInline var object: Int32
    /// Index of what the mapping says about the value's form; -1 for nothing.
    @usableFromInline var form: Int32
    /// Where the key lies in the plan's text, written as `,"key":`.
    @usableFromInline var key: Int32
    /// Byte count of that.
    @usableFromInline var keyLength: Int32
    /// What to do.
    @usableFromInline var action: Action
    /// Whether nil leaves the key out instead of being written as null.
    @usableFromInline var omitsNil: Bool
    /// Whether a transform writes the value instead of its type.
    @usableFromInline var isTransformed = false
}

/// How an object is written.
@usableFromInline
struct ParameterObject: BitwiseCopyable {
    /// What becomes of the object.
    @usableFromInline
    enum Kind: UInt8, BitwiseCopyable {
        /// An object of the representation.
        case members
        /// The value of its one step, without braces: a path goes through the object.
        case projection
        /// Whatever the mapping chosen for it says.
        case chosen
    }

    /// The first of its steps.
    @usableFromInline var firstStep: Int32
    /// One past the last.
    @usableFromInline var endStep: Int32
    /// Index of the mapping it belongs to, for issues; of the choice, for a chosen one.
    @usableFromInline var mapping: Int32
    /// What becomes of it.
    @usableFromInline var kind: Kind
}

/// The arrays of a compiled request mapping, allocated once and only read afterwards.
///
/// `@unchecked Sendable` invariant: the buffers are written in `init` and never again; they are
/// freed when the last plan that shares them goes away.
@usableFromInline
@safe
final class ParameterStorage: @unchecked Sendable {
    @usableFromInline let objects: UnsafePointer<ParameterObject>
    @usableFromInline let steps: UnsafePointer<ParameterStep>
    let keyText: UnsafePointer<UInt8>
    let objectCount: Int
    let stepCount: Int

    init(objects: [ParameterObject], steps: [ParameterStep], keyText: [UInt8]) {
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
