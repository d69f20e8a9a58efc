// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Eight bytes as a number, the first of them the lowest.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= count - 8)
        // Invariant: the bytes are there, as was just looked at, and every value is a number.
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
}
