// SPDX-License-Identifier: Apache-2.0

/// A value on the heap: handed on for the price of a reference, copied when it is changed while
/// somebody else has it.
struct Boxed<Value: Sendable>: Sendable {
    // Invariant: `value` is changed only while one `Boxed` has the only reference, so no two threads
    // ever have it at the same time, one of them to change it; and the exclusive access to that
    // `Boxed` is the exclusive access to `value`.
    private final class Box: @unchecked Sendable {
        @exclusivity(unchecked) var value: Value

        init(_ value: Value) {
            unsafe self.value = value
        }
    }

    private var box: Box

    init(_ value: Value) {
        box = Box(value)
    }

    var value: Value {
        @inline(__always) _read { yield unsafe box.value }
        @inline(__always) _modify {
            if !isKnownUniquelyReferenced(&box) { box = unsafe Box(box.value) }
            yield unsafe &box.value
        }
    }

    /// Whether two have the same value because neither has been changed since one was the other.
    func isIdentical(to other: Boxed) -> Bool {
        box === other.box
    }
}
