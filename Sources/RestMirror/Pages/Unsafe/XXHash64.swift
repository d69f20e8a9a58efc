// SPDX-License-Identifier: Apache-2.0

/// The function XXH64 with the seed 0, by which a page is found to have changed.
///
/// It finds accidental changes, not deliberate ones: who can choose the content of a page needs no collision to have
/// it say what they like.
///
/// - Source: <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.
enum XXHash64 {
    private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9,
        0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5
    )

    /// Returns the hash of bytes as 8 bytes, the most significant one first.
    static func digest(of bytes: [UInt8]) -> [UInt8] {
        let hash = hash(of: bytes)
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) }
    }

    /// Returns the hash of bytes.
    static func hash(of bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { buffer in unsafe hash(of: buffer) }
    }

    // Invariant of the unsafe reads: the buffer lives during the call, and each loop compares its offset with the
    // count before it reads; unaligned loads need no alignment.
    private static func hash(of buffer: UnsafeRawBufferPointer) -> UInt64 {
        let (prime1, prime2, prime3, prime4, prime5) = primes
        let count = buffer.count
        var (hash, offset) = (prime5, 0)
        if count >= 32 {
            var lanes = SIMD4(prime1 &+ prime2, prime2, 0, 0 &- prime1)
            while offset &+ 32 <= count {
                let input = unsafe SIMD4(
                    word(buffer, offset), word(buffer, offset &+ 8), word(buffer, offset &+ 16),
                    word(buffer, offset &+ 24))
                lanes = SIMD4(
                    round(lanes.x, input.x), round(lanes.y, input.y), round(lanes.z, input.z),
                    round(lanes.w, input.w))
                offset &+= 32
            }
            hash =
                rotated(lanes.x, 1) &+ rotated(lanes.y, 7) &+ rotated(lanes.z, 12)
                &+ rotated(lanes.w, 18)
            for index in 0..<4 {
                hash = (hash ^ round(0, lanes[index])) &* prime1 &+ prime4
            }
        }
        hash &+= UInt64(count)
        while offset &+ 8 <= count {
            hash = rotated(hash ^ round(0, unsafe word(buffer, offset)), 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if offset &+ 4 <= count {
            let half = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            hash =
                rotated(hash ^ UInt64(UInt32(littleEndian: half)) &* prime1, 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < count {
            hash = unsafe rotated(hash ^ UInt64(buffer[offset]) &* prime5, 11) &* prime1
            offset &+= 1
        }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotated(lane &+ input &* primes.1, 31) &* primes.0
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value &<< count | value &>> (64 &- count)
    }
}
