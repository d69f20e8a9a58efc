// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A growable buffer for a response body that the parser takes over, so that bytes are copied once.
///
/// Invariant: `bytes` is an allocation of `capacity` + ``DocumentStorage/padding`` bytes, of which
/// the first `count` are initialized. The buffer owns it until ``document(limits:)``.
@safe
struct BodyBuffer: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    /// The number of bytes received.
    private(set) var count = 0

    /// Creates an empty buffer.
    ///
    /// - Parameter expected: The expected number of bytes, as a hint.
    init(expecting expected: Int) {
        capacity = max(expected, 512)
        unsafe bytes = allocateBytes(capacity + DocumentStorage.padding)
    }

    deinit {
        unsafe free(bytes)
    }

    /// Appends a chunk of the body.
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

    /// A Boolean value that indicates whether the body contains only white space.
    var isBlank: Bool {
        unsafe UnsafeBufferPointer(start: bytes, count: count).allSatisfy {
            $0 == 0x20 || (0x09...0x0D).contains($0)
        }
    }

    /// Returns the first bytes.
    func prefix(_ maximum: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: bytes, count: min(count, maximum)))
    }

    /// Parses the body and transfers the ownership of its bytes to the document.
    consuming func document(limits: ParseLimits) throws(DocumentError) -> Document {
        let (bytes, count) = unsafe (bytes, count)
        discard self
        return try unsafe Document(adopting: bytes, byteCount: count, limits: limits)
    }
}

/// Resizes an allocation; traps if memory is exhausted.
private func reallocateBytes(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
) -> UnsafeMutablePointer<UInt8> {
    guard let buffer = unsafe realloc(bytes, count) else {
        preconditionFailure("out of memory for a body of \(count) bytes")
    }
    return unsafe buffer.bindMemory(to: UInt8.self, capacity: count)
}
