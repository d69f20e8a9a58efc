// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Collects the chunks of a body where the parser wants them, so that they are copied once.
///
/// Invariant: `bytes` has room for `capacity` bytes, the first `count` are filled, and
/// ``DocumentStorage/padding`` more lie behind the capacity. The buffer owns it until ``document(limits:)``.
@safe
struct BodyBuffer: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    /// Byte count of the body so far.
    private(set) var count = 0

    /// Makes room.
    ///
    /// - Parameter expected: How long the body says it is; only a hint.
    init(expecting expected: Int) {
        capacity = max(expected, 512)
        unsafe bytes = allocateBytes(capacity + DocumentStorage.padding)
    }

    deinit {
        unsafe free(bytes)
    }

    /// Adds a chunk.
    mutating func append(_ chunk: [UInt8]) {
        if chunk.count > capacity - count {
            capacity = max(capacity * 2, count + chunk.count)
            unsafe bytes = reallocateBytes(bytes, capacity + DocumentStorage.padding)
        }
        unsafe chunk.withUnsafeBufferPointer { chunk in
            if let start = chunk.baseAddress {
                unsafe memcpy(bytes + count, start, chunk.count)
            }
        }
        count += chunk.count
    }

    /// Whether there is nothing but white space.
    var isBlank: Bool {
        unsafe UnsafeBufferPointer(start: bytes, count: count).allSatisfy {
            $0 == 0x20 || (0x09...0x0D).contains($0)
        }
    }

    /// The first bytes.
    func prefix(_ maximum: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: bytes, count: min(count, maximum)))
    }

    /// Reads the body as a document, which takes the bytes over.
    consuming func document(limits: ParseLimits) throws(DocumentError) -> Document {
        let (bytes, count) = unsafe (bytes, count)
        discard self
        return try unsafe Document(adopting: bytes, byteCount: count, limits: limits)
    }
}

/// Makes room larger; running out of memory traps.
private func reallocateBytes(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
) -> UnsafeMutablePointer<UInt8> {
    guard let room = unsafe realloc(bytes, count) else {
        preconditionFailure("out of memory for a body of \(count) bytes")
    }
    return unsafe room.bindMemory(to: UInt8.self, capacity: count)
}
