// SPDX-License-Identifier: Apache-2.0

/// A value on the heap with copy-on-write: a copy of the box shares the value until one of them
/// changes it.
struct CopyOnWriteBox<Value: Sendable>: Sendable {
    // Invariant: `value` changes only while one `CopyOnWriteBox` has the only reference, so no
    // thread reads it while another one changes it; and exclusive access to that `CopyOnWriteBox`
    // is exclusive access to `value`.
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

    /// Returns a Boolean value that indicates whether two boxes share one value.
    func isIdentical(to other: CopyOnWriteBox) -> Bool {
        box === other.box
    }
}
