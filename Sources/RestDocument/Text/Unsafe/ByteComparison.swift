// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Returns a Boolean value that indicates whether two runs of bytes of the same length are equal.
///
/// Invariant: both have `count` bytes. Loads of 8 bytes end there, as a coding key has no padding.
@inlinable @inline(__always)
func equalBytes(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int
) -> Bool {
    let left = unsafe UnsafeRawPointer(left)
    let right = unsafe UnsafeRawPointer(right)
    var position = 0
    while position &+ 8 <= count {
        let difference =
            unsafe left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        if difference != 0 { return false }
        position &+= 8
    }
    while position < count {
        if unsafe left.load(fromByteOffset: position, as: UInt8.self)
            != right.load(fromByteOffset: position, as: UInt8.self)
        {
            return false
        }
        position &+= 1
    }
    return true
}

/// Creates a string from bytes that are known to be UTF-8.
@inlinable @inline(__always)
func makeString(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        return unsafe String(copying: UTF8Span(unchecked: bytes.span))
    }
    return unsafe String(decoding: bytes, as: UTF8.self)
}

/// Compares two runs of bytes as `memcmp` does.
///
/// A run precedes its continuations.
func compareBytes(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let start = left.baseAddress, let other = right.baseAddress {
        let order = unsafe memcmp(start, other, shared)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}
