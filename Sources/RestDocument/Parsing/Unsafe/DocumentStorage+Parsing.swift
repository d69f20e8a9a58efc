// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Invariant: a text buffer has `count` bytes plus the padding and was allocated by `malloc`. It has
// one owner: first the parser, which frees it before throwing, then the storage.

extension DocumentStorage {
    /// Copies JSON text into memory with padding, and parses it.
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
        return try unsafe adopted(bytes, count: input.count, limits: limits)
    }

    /// Parses JSON text in memory that was allocated by `malloc` with space for the padding.
    ///
    /// - Parameters:
    ///   - bytes: The text; ``JSONParser`` takes ownership.
    ///   - count: The number of bytes of the text.
    ///   - limits: The limits for the document.
    ///   - skipsByteOrderMark: A Boolean value that indicates whether a byte order mark may precede
    ///     the text.
    /// - Returns: The document.
    /// - Throws: ``DocumentError`` with the position.
    static func adopted(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, limits: ParseLimits,
        skipsByteOrderMark: Bool = true
    ) throws(DocumentError) -> DocumentStorage {
        let storage = try unsafe JSONParser.parse(
            adopting: bytes, count: count, limits: limits, skipsByteOrderMark: skipsByteOrderMark)
        if limits.rejectsDuplicateKeys { try storage.requireDistinctKeys() }
        return storage
    }
}

extension JSONParser {
    /// Parses a document.
    ///
    /// - Parameters:
    ///   - input: Memory allocated by `malloc`, at least ``DocumentStorage/padding`` bytes longer
    ///     than `count`. The parser takes ownership, also if an error is thrown.
    ///   - count: The number of bytes of the document.
    ///   - limits: The limits for the document.
    ///   - skipsByteOrderMark: A Boolean value that indicates whether a byte order mark may precede
    ///     the text. The mark remains in the document, so offsets count its bytes.
    /// - Returns: The finished document.
    /// - Throws: ``DocumentError`` with the position.
    /// - Complexity: O(*n*) in the number of bytes.
    static func parse(
        adopting input: UnsafeMutablePointer<UInt8>, count: Int, limits: ParseLimits,
        skipsByteOrderMark: Bool
    ) throws(DocumentError) -> DocumentStorage {
        for position in 0..<DocumentStorage.padding { unsafe input[count + position] = 0 }
        do throws(DocumentError) {
            try unsafe validate(input, count: count, limits: limits)
        } catch {
            unsafe free(input)
            throw error
        }
        let capacity = min(max(count / 12, 16), limits.tapeCapacity - 2) + 2
        let textStart = skipsByteOrderMark ? unsafe byteOrderMarkLength(input) : 0
        let tape = unsafe scan(
            UnsafePointer(input), count: count, limits: limits,
            from: ParseCheckpoint(offset: textStart), onto: allocateNodes(capacity),
            capacity: capacity)
        guard tape.failure == .none else {
            let error = unsafe tape.error(in: UnsafePointer(input), count: count)
            unsafe free(input)
            unsafe free(tape.nodes)
            throw error
        }
        return unsafe DocumentStorage(
            adopting: input, byteCount: count, nodes: tape.shrunkNodes(), nodeCount: tape.count)
    }
}
