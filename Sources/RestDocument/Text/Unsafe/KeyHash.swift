// SPDX-License-Identifier: Apache-2.0

/// Returns a hash of a key's bytes.
///
/// It reads up to seven bytes after the key.
///
/// Invariant: these bytes exist, as padding of a document or reserved memory of a text; their
/// values do not affect the hash.
@inline(__always)
func keyHash(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    let raw = unsafe UnsafeRawPointer(bytes)
    var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
    var position = 0
    while position &+ 8 <= count {
        let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 32
        position &+= 8
    }
    if position < count {
        let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let unused = UInt64(truncatingIfNeeded: 64 &- (count &- position) &* 8)
        hash = (hash ^ (word.littleEndian << unused)) &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 32
    }
    return UInt32(truncatingIfNeeded: hash) | 1
}
