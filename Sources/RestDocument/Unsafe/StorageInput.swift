// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DocumentStorage {
    /// Copies JSON text once, into room with padding, and reads it.
    static func parsed(
        _ input: UnsafeRawBufferPointer, limits: ParseLimits
    ) throws(DocumentError) -> DocumentStorage {
        guard input.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes, found \(input.count)")
        }
        let bytes = unsafe allocateBytes(input.count + padding)
        if let start = input.baseAddress { unsafe memcpy(bytes, start, input.count) }
        return try unsafe JSONParser.parse(adopting: bytes, count: input.count, limits: limits)
    }
}

/// Makes room for bytes; running out of memory traps.
package func allocateBytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    guard let room = unsafe malloc(count) else {
        preconditionFailure("out of memory for a document of \(count) bytes")
    }
    return unsafe room.bindMemory(to: UInt8.self, capacity: count)
}
