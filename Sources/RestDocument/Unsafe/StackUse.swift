// SPDX-License-Identifier: Apache-2.0

/// How much of the stack one run of a type's own code inside another may use.
///
/// A level costs from half a kilobyte to many, by the type and the build; the stacks of background
/// threads may have 512 KiB.
///
/// Invariant: the pointer does not leave the closure; its address is a number from then on.
enum StackUse {
    /// The most a run may use, in bytes.
    static let limit = 256 << 10

    /// Where the stack ends now; it grows towards lower addresses.
    @inline(__always)
    static var position: UInt {
        var marker: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
    }

    /// Whether too much was used since the stack ended elsewhere.
    @inline(__always)
    static func isTooLarge(since base: UInt) -> Bool {
        Int(bitPattern: base &- position) > limit
    }
}
