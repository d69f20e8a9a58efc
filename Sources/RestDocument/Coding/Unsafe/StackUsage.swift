// SPDX-License-Identifier: Apache-2.0

/// The stack space that nested code of types may use.
///
/// A level costs from half a kilobyte to several, depending on the type and the build. The stacks
/// of background threads may have only 512 KiB.
///
/// Invariant: the pointer does not escape the closure; only its address is kept, as a number.
enum StackUsage {
    /// The maximum stack space, in bytes.
    static let limit = 256 << 10

    /// The current stack position.
    ///
    /// Stacks grow towards lower addresses.
    @inline(__always)
    static var position: UInt {
        var marker: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
    }

    /// Returns a Boolean value that indicates whether the stack has grown beyond the limit since a
    /// position.
    @inline(__always)
    static func isTooLarge(since base: UInt) -> Bool {
        Int(bitPattern: base &- position) > limit
    }
}
