// SPDX-License-Identifier: Apache-2.0

/// A source key, laid out so that a match is three integer comparisons.
@frozen
@usableFromInline
struct PlanKey: Sendable, BitwiseCopyable {
    /// The first eight bytes, zero filled.
    @usableFromInline let first: UInt64
    /// The last eight bytes of a key longer than eight bytes, else zero.
    @usableFromInline let last: UInt64
    /// The number of bytes.
    @usableFromInline let length: Int32
    /// The offset of the bytes in the plan's key text.
    @usableFromInline let text: Int32
    /// The index of the first step of this key.
    @usableFromInline let firstStep: Int32
    /// The index after its last step.
    @usableFromInline let endStep: Int32
}

extension PlanKey {
    /// Returns the two words that identify a key.
    ///
    /// Reads up to eight bytes past the start of a short key: the bytes of a document are padded.
    @inlinable @inline(__always)
    static func words(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> (UInt64, UInt64) {
        let raw = unsafe UnsafeRawPointer(bytes)
        let first = unsafe UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
        if length > 8 {
            return (
                first,
                unsafe UInt64(
                    littleEndian: raw.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self))
            )
        }
        if length == 0 { return (0, 0) }
        return (first & (UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- length &* 8)), 0)
    }

    /// Returns the two words of a key of the plan, as ``words(_:_:)`` reads them from a document.
    static func words(of bytes: [UInt8]) -> (UInt64, UInt64) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (word(bytes.prefix(8)), bytes.count > 8 ? word(bytes.suffix(8)) : 0)
    }

    /// Returns the hash of a key.
    ///
    /// It needs no seed: the table holds the plan's keys, never a server's.
    @inlinable @inline(__always)
    static func hash(_ first: UInt64, _ last: UInt64, _ length: Int) -> Int {
        let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: length))
        return Int(truncatingIfNeeded: (mixed &* 0xFF51_AFD7_ED55_8CCD) &>> 32)
    }
}
