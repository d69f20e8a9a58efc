// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Invariant: a buffer for text is `count` bytes and the padding, made by `malloc`. It has one
// owner: the parser from when it is handed over, which frees it where it throws, then the storage.

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
        return try unsafe adopted(bytes, count: input.count, limits: limits)
    }

    /// Reads JSON text from a buffer made by `malloc` with room for the padding.
    static func adopted(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, limits: ParseLimits
    ) throws(DocumentError) -> DocumentStorage {
        let storage = try unsafe JSONParser.parse(adopting: bytes, count: count, limits: limits)
        if limits.rejectsDuplicateKeys { try storage.requireDistinctKeys() }
        return storage
    }

    /// Makes a storage of JSON text and its tape.
    static func copying(_ text: [UInt8], _ tape: [TapeNode]) -> DocumentStorage {
        let bytes = unsafe allocateBytes(text.count + padding)
        let nodes = unsafe allocateNodes(tape.count)
        unsafe text.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe bytes.update(from: start, count: source.count)
        }
        unsafe (bytes + text.count).update(repeating: 0, count: padding)
        unsafe tape.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe nodes.update(from: start, count: source.count)
        }
        return unsafe DocumentStorage(
            adopting: bytes, byteCount: text.count, nodes: nodes, nodeCount: tape.count)
    }
}

extension JSONParser {
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - input: Made by `malloc`, at least ``DocumentStorage/padding`` bytes longer than `count`;
    ///     taken over, also when an error is thrown.
    ///   - count: Byte count of the document.
    ///   - limits: What it may grow to.
    /// - Returns: The finished document.
    /// - Throws: ``DocumentError`` with the place.
    /// - Complexity: O(*n*) in the byte count.
    static func parse(
        adopting input: UnsafeMutablePointer<UInt8>, count: Int, limits: ParseLimits
    ) throws(DocumentError) -> DocumentStorage {
        for position in 0..<DocumentStorage.padding { unsafe input[count + position] = 0 }
        do throws(DocumentError) {
            try unsafe checkInput(input, count: count, limits: limits)
        } catch {
            unsafe free(input)
            throw error
        }
        let capacity = min(max(count / 12, 16), limits.tapeCapacity - 2) + 2
        let tape = unsafe scan(
            UnsafePointer(input), count: count, limits: limits,
            onto: allocateNodes(capacity), capacity: capacity)
        guard tape.fault == .none else {
            let error = unsafe tape.error(in: UnsafePointer(input), count: count)
            unsafe free(input)
            unsafe free(tape.nodes)
            throw error
        }
        return unsafe DocumentStorage(
            adopting: input, byteCount: count, nodes: tape.fittedNodes(), nodeCount: tape.count)
    }
}

/// Makes room for bytes; running out of memory traps.
package func allocateBytes(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe reallocateBytes(nil, count)
}

/// Makes the room for bytes larger or smaller; running out of memory traps.
func reallocateBytes(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int
) -> UnsafeMutablePointer<UInt8> {
    guard let room = unsafe realloc(UnsafeMutableRawPointer(bytes), count) else {
        preconditionFailure("out of memory for a document of \(count) bytes")
    }
    return unsafe room.bindMemory(to: UInt8.self, capacity: count)
}
