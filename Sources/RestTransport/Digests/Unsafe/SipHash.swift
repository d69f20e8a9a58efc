// SPDX-License-Identifier: Apache-2.0

/// SipHash-2-4 with a 128-bit result: a keyed hash that is stable across processes and whose
/// collisions cannot be found without the key.
///
/// The file cache names its files with it and checks every byte that it reads, several times as
/// fast as ``SHA256`` could. SHA-256 remains for digests that must be one-way without a secret key.
///
/// - Source: Aumasson and Bernstein, SipHash: a fast short-input PRF (2012), and the authors'
///   reference implementation for 128 bits.
package struct SipHash: Sendable, Hashable {
    private let keys: (UInt64, UInt64)

    /// Creates the function with a key.
    package init(key: UInt128) {
        keys = (UInt64(truncatingIfNeeded: key), UInt64(truncatingIfNeeded: key >> 64))
    }

    /// Returns the hash of bytes, in little-endian order.
    package func hash(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        unsafe bytes.withUnsafeBytes { unsafe hash($0) }
    }

    /// Returns the hash of a text in UTF-8.
    func hash(_ text: String) -> UInt128 {
        var text = text
        return text.withUTF8 { unsafe hash(UnsafeRawBufferPointer($0)) }
    }

    // Invariant: loads end before `count`, and the buffer lives as long as the call.
    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
        var state = SipState(keys)
        let count = bytes.count
        var offset = 0
        while offset &+ 8 <= count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state.take(UInt64(littleEndian: word))
            offset &+= 8
        }
        var last = UInt64(truncatingIfNeeded: count) << 56
        var shift: UInt64 = 0
        while offset < count {
            last |= UInt64(unsafe bytes[offset]) << shift
            offset &+= 1
            shift &+= 8
        }
        state.take(last)
        return state.finish()
    }

    package static func == (left: SipHash, right: SipHash) -> Bool { left.keys == right.keys }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(keys.0)
        hasher.combine(keys.1)
    }
}

private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ keys: (UInt64, UInt64)) {
        v0 = keys.0 ^ 0x736F_6D65_7073_6575
        v1 = keys.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
        v2 = keys.0 ^ 0x6C79_6765_6E65_7261
        v3 = keys.1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func take(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    mutating func finish() -> UInt128 {
        v2 ^= 0xEE
        for _ in 0..<4 { mix() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<4 { mix() }
        return UInt128(v0 ^ v1 ^ v2 ^ v3) << 64 | UInt128(low)
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v1 = v1 &<< 13 | v1 &>> 51
        v1 ^= v0
        v0 = v0 &<< 32 | v0 &>> 32
        v2 &+= v3
        v3 = v3 &<< 16 | v3 &>> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 &<< 21 | v3 &>> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 &<< 17 | v1 &>> 47
        v1 ^= v2
        v2 = v2 &<< 32 | v2 &>> 32
    }
}
