// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Returns eight bytes as a little-endian integer.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= count - 8)
        // Invariant: the precondition ensures that the bytes exist, and every bit pattern is an
        // integer.
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
}
