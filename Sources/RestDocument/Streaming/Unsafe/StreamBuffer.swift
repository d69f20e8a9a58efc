// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The unread bytes of a stream, with their position in it.
///
/// Memory for bytes and nodes is reused until a large document takes ownership of it, so its size
/// stays at what one value and one chunk need together. All indices are relative to the buffered
/// bytes.
@safe
struct StreamBuffer: ~Copyable {
    // Invariant: `bytes` has space for `capacity` bytes plus the padding, and zeros follow `end`.
    // `nodes` has space for `nodeCapacity` nodes. Only this value uses them.
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var capacity = 0
    private(set) var nodes: UnsafeMutablePointer<TapeNode>
    private(set) var nodeCapacity: Int

    /// The index of the first unread byte.
    private(set) var start = 0
    /// The end of the bytes.
    private(set) var end = 0
    /// The end of the bytes known to be UTF-8, which may be followed by an invalid or incomplete
    /// sequence.
    private var validEnd = 0
    /// A Boolean value that indicates whether the stream has ended.
    private(set) var isFinished = false
    /// The number of bytes of the last returned value.
    private var lastLength = 0

    /// The bytes before the buffer: their number, their line breaks, and the offset of their last
    /// line.
    private var droppedCount = 0
    private var droppedLines = 0
    private var lastLineStart = 0

    /// The minimum node capacity that is kept between two values.
    private static let smallNodeCapacity = 1 << 12

    init(limits: ParseLimits) {
        unsafe bytes = allocateBytes(DocumentStorage.padding)
        unsafe bytes.update(repeating: 0, count: DocumentStorage.padding)
        nodeCapacity = min(Self.smallNodeCapacity, limits.tapeCapacity)
        unsafe nodes = allocateNodes(nodeCapacity)
    }

    deinit {
        unsafe free(bytes)
        unsafe free(nodes)
    }

    /// The number of bytes reserved for text and nodes.
    var reservedByteCount: Int {
        capacity + DocumentStorage.padding + nodeCapacity * MemoryLayout<TapeNode>.stride
    }

    /// The number of bytes that have arrived.
    var arrivedCount: Int { droppedCount + end }

    /// The offset of the next byte in the stream.
    var offset: Int { droppedCount + start }

    /// The next byte; 0 if none has arrived.
    var nextByte: UInt8 { unsafe bytes[start] }

    /// A pointer to the next byte.
    var next: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + start) }

    /// The number of unread bytes.
    var count: Int { end - start }

    /// The number of unread bytes that are known to be UTF-8.
    var validCount: Int { validEnd - start }

    /// Consumes bytes.
    mutating func consume(_ count: Int) {
        start += count
    }

    /// Consumes white space.
    mutating func skipSpace() {
        start = unsafe skippingSpace(bytes + start) - UnsafePointer(bytes)
    }

    /// Reserves capacity for the nodes of a value that probably contains all unread bytes.
    mutating func reserveNodes(limits: ParseLimits) {
        guard nodeCapacity < count / 16 else { return }
        nodeCapacity = min(max(count / 16, nodeCapacity * 4), limits.tapeCapacity)
        unsafe nodes = reallocateNodes(nodes, nodeCapacity)
    }

    /// Replaces the memory for nodes with memory that was reallocated from it.
    mutating func replaceNodes(_ newNodes: UnsafeMutablePointer<TapeNode>, capacity: Int) {
        unsafe nodes = newNodes
        nodeCapacity = capacity
    }

    /// Marks the end of the stream.
    mutating func finish() {
        isFinished = true
    }

    /// Appends a chunk.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - limit: The maximum number of bytes of the whole stream. Bytes beyond it are dropped.
    /// - Returns: A Boolean value that indicates whether all bytes were appended.
    /// - Complexity: O(*n*) in the number of bytes, amortized over all chunks.
    mutating func append(_ chunk: some Sequence<UInt8>, upTo limit: Int) -> Bool {
        let remaining = limit - arrivedCount
        let isWhole = chunk.withContiguousStorageIfAvailable { storage in
            unsafe append(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage).prefix(remaining)))
            return storage.count <= remaining
        }
        return isWhole ?? append(Array(chunk), upTo: limit)
    }

    private mutating func append(_ chunk: UnsafeRawBufferPointer) {
        guard let source = chunk.baseAddress, chunk.count > 0 else { return }
        // At least as many bytes were consumed as are moved, so the moves cost no more than the
        // reading did. Otherwise, growing would copy the same bytes.
        if start >= end - start || end + chunk.count > capacity { discardConsumed() }
        reserveCapacity(for: end + chunk.count)
        unsafe memcpy(bytes + end, source, chunk.count)
        end += chunk.count
        unsafe (bytes + end).update(repeating: 0, count: DocumentStorage.padding)
        let unchecked = unsafe firstInvalidUTF8(bytes + validEnd, count: end - validEnd)
        validEnd = unchecked.map { validEnd + $0 } ?? end
    }

    private mutating func discardConsumed() {
        guard start > 0 else { return }
        countLines(upTo: start)
        unsafe memmove(bytes, bytes + start, end - start)
        droppedCount += start
        validEnd -= start
        end -= start
        start = 0
    }

    /// Counts the lines of bytes before they are dropped.
    private mutating func countLines(upTo count: Int) {
        let lines = unsafe lineBreakCount(bytes, count: count)
        guard lines > 0 else { return }
        var last = count - 1
        while unsafe bytes[last] != 0x0A { last -= 1 }
        droppedLines += lines
        lastLineStart = droppedCount + last + 1
    }

    private mutating func reserveCapacity(for count: Int) {
        let isWasteful = capacity > 1 << 18 && capacity / 8 > max(count, lastLength)
        guard count > capacity || isWasteful else { return }
        // A chunk of the usual size fits at once. Growing copies all bytes, so large memory grows
        // by a larger factor; untouched memory occupies no pages.
        capacity = isWasteful ? count : max(count, capacity * (capacity < 1 << 20 ? 2 : 4))
        unsafe bytes = reallocateBytes(bytes, capacity + DocumentStorage.padding)
    }
}

// MARK: - Values

extension StreamBuffer {
    /// The minimum size of a text whose memory the document takes over.
    ///
    /// Copying less text costs less than allocating new memory.
    private static let largeByteCount = 1 << 16

    /// Returns the storage of the next value, and consumes the value.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of the value.
    ///   - nodeCount: The number of nodes of the value.
    /// - Returns: A storage that contains nothing else.
    mutating func takeStorage(_ length: Int, nodeCount: Int) -> DocumentStorage {
        lastLength = length
        return unsafe DocumentStorage(
            adopting: takeBytes(length), byteCount: length, nodes: takeNodes(nodeCount),
            nodeCount: nodeCount)
    }

    /// Returns the storage of the next value, without consuming the value.
    func copiedStorage(_ length: Int, nodeCount: Int) -> DocumentStorage {
        unsafe DocumentStorage(
            adopting: Self.copy(next, count: length), byteCount: length,
            nodes: copiedNodes(nodeCount), nodeCount: nodeCount)
    }

    private mutating func takeBytes(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        // Memory that begins with other bytes, or is mostly empty, is kept.
        guard start == 0, length >= Self.largeByteCount, length >= capacity / 2 else {
            defer { consume(length) }
            return unsafe Self.copy(next, count: length)
        }
        countLines(upTo: length)
        let taken = unsafe bytes
        end -= length
        // The next value may have the same size.
        unsafe bytes = allocateBytes(capacity + DocumentStorage.padding)
        unsafe memcpy(bytes, taken + length, end + DocumentStorage.padding)
        unsafe (taken + length).update(repeating: 0, count: DocumentStorage.padding)
        droppedCount += length
        validEnd -= length
        guard capacity - length > 1 << 12 else { return unsafe taken }
        return unsafe reallocateBytes(taken, length + DocumentStorage.padding)
    }

    private mutating func takeNodes(_ count: Int) -> UnsafeMutablePointer<TapeNode> {
        guard count >= Self.smallNodeCapacity else {
            defer { dropNodes() }
            return unsafe copiedNodes(count)
        }
        let taken = unsafe nodes
        unsafe nodes = allocateNodes(nodeCapacity)
        return unsafe reallocateNodes(taken, count)
    }

    private func copiedNodes(_ count: Int) -> UnsafeMutablePointer<TapeNode> {
        let copy = unsafe allocateNodes(count)
        unsafe copy.update(from: nodes, count: count)
        return unsafe copy
    }

    /// Releases node capacity that is no longer needed.
    mutating func dropNodes() {
        guard nodeCapacity > 4 * Self.smallNodeCapacity else { return }
        nodeCapacity = Self.smallNodeCapacity
        unsafe nodes = reallocateNodes(nodes, nodeCapacity)
    }

    private static func copy(
        _ source: UnsafePointer<UInt8>, count: Int
    ) -> UnsafeMutablePointer<UInt8> {
        let copy = unsafe allocateBytes(count + DocumentStorage.padding)
        unsafe memcpy(copy, source, count)
        unsafe (copy + count).update(repeating: 0, count: DocumentStorage.padding)
        return unsafe copy
    }
}

// MARK: - Positions

extension StreamBuffer {
    /// Returns an error, whose offset counts from the next byte, with its position in the stream.
    func located(_ error: DocumentError) -> DocumentError {
        var error = error
        let position = start + error.offset
        let (line, column) = unsafe lineAndColumn(of: min(position, end), in: bytes)
        error.offset = droppedCount + position
        error.line = droppedLines + line
        error.column = line > 1 ? column : error.offset - lastLineStart + 1
        return error
    }

    /// Returns the error for the first sequence that is not UTF-8.
    ///
    /// - Parameter offset: The end of the parsed text, counted from the next byte.
    /// - Returns: The error; `nil` if the text up to the offset is UTF-8.
    func encodingError(before offset: Int) -> DocumentError? {
        guard offset > validCount, validCount < count else { return nil }
        return located(
            DocumentError(.invalidUTF8, offset: validCount, expected: "well-formed UTF-8"))
    }

    /// Returns a Boolean value that indicates whether the character at an offset is complete, or
    /// known to be invalid.
    func isCharacterComplete(_ offset: Int) -> Bool {
        isFinished || offset < validCount || count - validCount > 3
    }
}
