// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Allocates memory for bytes.
///
/// Running out of memory traps.
package func allocateBytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe reallocateBytes(nil, count)
}

/// Changes the size of memory for bytes.
///
/// Running out of memory traps.
func reallocateBytes(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int
) -> UnsafeMutablePointer<UInt8> {
    guard let memory = unsafe realloc(UnsafeMutableRawPointer(bytes), count) else {
        preconditionFailure("out of memory for a document of \(count) bytes")
    }
    return unsafe memory.bindMemory(to: UInt8.self, capacity: count)
}

/// Allocates memory for nodes.
///
/// Running out of memory traps.
func allocateNodes(_ capacity: Int) -> UnsafeMutablePointer<TapeNode> {
    unsafe reallocateNodes(nil, capacity)
}

/// Changes the size of memory for nodes.
///
/// Running out of memory traps.
@inline(never)
func reallocateNodes(
    _ nodes: UnsafeMutablePointer<TapeNode>?, _ capacity: Int
) -> UnsafeMutablePointer<TapeNode> {
    let size = capacity * MemoryLayout<TapeNode>.stride
    guard let memory = unsafe realloc(UnsafeMutableRawPointer(nodes), size) else {
        preconditionFailure("out of memory for a document of \(capacity) nodes")
    }
    return unsafe memory.bindMemory(to: TapeNode.self, capacity: capacity)
}
