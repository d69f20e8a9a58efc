// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The bytes of a stream that have arrived and are still to be read, and where they stand in it.
///
/// Room for bytes and nodes is used again and again until a large value takes it along, so it stays
/// as large as one value and one chunk need together. Positions below are indices into what is held.
@safe
struct StreamBuffer: ~Copyable {
    // Invariant: `bytes` has room for `capacity` bytes and the padding, and zeros follow `end`;
    // `nodes` has room for `nodeCapacity` nodes. Both belong to this value alone.
    private(set) var bytes: UnsafeMutablePointer<UInt8>
    private(set) var capacity = 0
    private(set) var nodes: UnsafeMutablePointer<TapeNode>
    private(set) var nodeCapacity: Int

    /// The first byte that was not read.
    private(set) var start = 0
    /// Where the bytes end.
    private(set) var end = 0
    /// How far they are known to be UTF-8: up to a sequence that is not, or not yet, complete.
    private var validEnd = 0
    /// Whether no more bytes will come.
    private(set) var isFinished = false
    /// Byte count of the value that was handed out last.
    private var lastLength = 0

    /// What was in front of the bytes held: its count, its line breaks, where its last line begins.
    private var droppedCount = 0
    private var droppedLines = 0
    private var lastLineStart = 0

    /// Nodes that are kept between two values at least.
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

    /// Bytes reserved for text and nodes together.
    var reservedByteCount: Int {
        capacity + DocumentStorage.padding + nodeCapacity * MemoryLayout<TapeNode>.stride
    }

    /// Bytes that arrived so far.
    var arrivedCount: Int { droppedCount + end }

    /// The place of the next byte in the stream.
    var offset: Int { droppedCount + start }

    /// The next byte, 0 also where none has arrived.
    var nextByte: UInt8 { unsafe bytes[start] }

    /// The next byte in place.
    var next: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + start) }

    /// How many bytes there are to read.
    var count: Int { end - start }

    /// How many of them are known to be UTF-8.
    var validCount: Int { validEnd - start }

    /// Reads over bytes.
    mutating func consume(_ count: Int) {
        start += count
    }

    /// Reads over white space.
    mutating func skipSpace() {
        start = unsafe skippingSpace(bytes + start) - UnsafePointer(bytes)
    }

    /// Makes room for the nodes of a value that is likely to have all that has arrived.
    mutating func reserveNodes(limits: ParseLimits) {
        guard nodeCapacity < count / 16 else { return }
        nodeCapacity = min(max(count / 16, nodeCapacity * 4), limits.tapeCapacity)
        unsafe nodes = reallocateNodes(nodes, nodeCapacity)
    }

    /// Takes a room for nodes in place of the one it was made from.
    mutating func replaceNodes(_ room: UnsafeMutablePointer<TapeNode>, capacity: Int) {
        unsafe nodes = room
        nodeCapacity = capacity
    }

    /// Says that no more bytes will come.
    mutating func finish() {
        isFinished = true
    }

    /// Adds a chunk.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - limit: Most bytes of the whole stream; what is beyond is left out.
    /// - Returns: Whether nothing was left out.
    /// - Complexity: O(*n*) in its byte count, over all chunks.
    mutating func append(_ chunk: some Sequence<UInt8>, upTo limit: Int) -> Bool {
        let room = limit - arrivedCount
        let isWhole = chunk.withContiguousStorageIfAvailable { storage in
            unsafe append(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage).prefix(room)))
            return storage.count <= room
        }
        return isWhole ?? append(Array(chunk), upTo: limit)
    }

    private mutating func append(_ chunk: UnsafeRawBufferPointer) {
        guard let source = chunk.baseAddress, chunk.count > 0 else { return }
        // As much as is moved was read before, so moving costs no more than reading did; or it is what
        // would be copied into larger room.
        if start >= end - start || end + chunk.count > capacity { dropRead() }
        makeRoom(for: end + chunk.count)
        unsafe memcpy(bytes + end, source, chunk.count)
        end += chunk.count
        unsafe (bytes + end).update(repeating: 0, count: DocumentStorage.padding)
        let unchecked = unsafe firstInvalidUTF8(bytes + validEnd, count: end - validEnd)
        validEnd = unchecked.map { validEnd + $0 } ?? end
    }

    private mutating func dropRead() {
        guard start > 0 else { return }
        noteLines(upTo: start)
        unsafe memmove(bytes, bytes + start, end - start)
        droppedCount += start
        validEnd -= start
        end -= start
        start = 0
    }

    /// Counts the lines of bytes that are about to be dropped.
    private mutating func noteLines(upTo count: Int) {
        let lines = unsafe lineBreakCount(bytes, count: count)
        guard lines > 0 else { return }
        var last = count - 1
        while unsafe bytes[last] != 0x0A { last -= 1 }
        droppedLines += lines
        lastLineStart = droppedCount + last + 1
    }

    private mutating func makeRoom(for count: Int) {
        let isWasteful = capacity > 1 << 18 && capacity / 8 > max(count, lastLength)
        guard count > capacity || isWasteful else { return }
        // A chunk of usual size fits at once. What keeps growing is copied each time, so large room
        // becomes much larger; room that is not touched is no memory yet.
        capacity = isWasteful ? count : max(count, capacity * (capacity < 1 << 20 ? 2 : 4))
        unsafe bytes = reallocateBytes(bytes, capacity + DocumentStorage.padding)
    }
}

// MARK: - Values

extension StreamBuffer {
    /// Bytes of text that are worth taking their room along; copying less costs less than new room.
    private static let largeByteCount = 1 << 16

    /// A document of the value that comes next, which is consumed.
    ///
    /// - Parameters:
    ///   - length: Its byte count.
    ///   - nodeCount: How many nodes were left for it.
    /// - Returns: A storage that holds nothing else.
    mutating func takeStorage(_ length: Int, nodeCount: Int) -> DocumentStorage {
        lastLength = length
        return unsafe DocumentStorage(
            adopting: takeBytes(length), byteCount: length, nodes: takeNodes(nodeCount),
            nodeCount: nodeCount)
    }

    /// A document of the value that comes next, which stays where it is.
    func copiedStorage(_ length: Int, nodeCount: Int) -> DocumentStorage {
        unsafe DocumentStorage(
            adopting: Self.copy(next, count: length), byteCount: length,
            nodes: copiedNodes(nodeCount), nodeCount: nodeCount)
    }

    private mutating func takeBytes(_ length: Int) -> UnsafeMutablePointer<UInt8> {
        // Room that begins with something else, or is mostly empty, stays.
        guard start == 0, length >= Self.largeByteCount, length >= capacity / 2 else {
            defer { consume(length) }
            return unsafe Self.copy(next, count: length)
        }
        noteLines(upTo: length)
        let taken = unsafe bytes
        end -= length
        // The next one may be as long.
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

    /// Gives back room for nodes that nobody needs.
    mutating func dropNodes() {
        guard nodeCapacity > 4 * Self.smallNodeCapacity else { return }
        nodeCapacity = Self.smallNodeCapacity
        unsafe nodes = reallocateNodes(nodes, nodeCapacity)
    }

    private static func copy(
        _ source: UnsafePointer<UInt8>, count: Int
    ) -> UnsafeMutablePointer<UInt8> {
        let room = unsafe allocateBytes(count + DocumentStorage.padding)
        unsafe memcpy(room, source, count)
        unsafe (room + count).update(repeating: 0, count: DocumentStorage.padding)
        return unsafe room
    }
}

// MARK: - Places

extension StreamBuffer {
    /// Puts an error that counts from the next byte to its place in the stream.
    func placed(_ error: DocumentError) -> DocumentError {
        var error = error
        let position = start + error.offset
        let (line, column) = unsafe lineAndColumn(of: min(position, end), in: bytes)
        error.offset = droppedCount + position
        error.line = droppedLines + line
        error.column = line > 1 ? column : error.offset - lastLineStart + 1
        return error
    }

    /// The error for bytes that are not UTF-8, when that is what a value or a mistake runs into.
    ///
    /// - Parameter place: How far the text was looked at, counted from the next byte.
    /// - Returns: `nil` when all of that is UTF-8.
    func encodingError(before place: Int) -> DocumentError? {
        guard place > validCount, validCount < count else { return nil }
        return placed(
            DocumentError(.invalidUTF8, offset: validCount, expected: "well-formed UTF-8"))
    }

    /// Whether the bytes that have arrived say all about a byte: it is the lead of no sequence
    /// whose rest is still to come.
    func isDecided(_ place: Int) -> Bool {
        isFinished || place < validCount || count - validCount > 3
    }
}

/// Counts line breaks, 16 bytes at a time.
///
/// - Parameters:
///   - start: The bytes, wide enough for a load of 16 at the last of them.
///   - count: How many there are.
/// - Returns: How many of them are `\n`.
func lineBreakCount(_ start: UnsafePointer<UInt8>, count: Int) -> Int {
    var total = 0
    var position = 0
    while position &+ 16 <= count {
        // A lane counts to 255 at most.
        let blocks = min((count &- position) / 16, 255)
        var lanes = SIMD16<UInt8>(repeating: 0)
        for _ in 0..<blocks {
            let x = unsafe UnsafeRawPointer(start + position).loadUnaligned(
                as: SIMD16<UInt8>.self)
            let other = x ^ 0x0A
            // 0x80 where `other` is 0.
            lanes &+= (((other &- 1) & ~other) & 0x80) &>> 7
            position &+= 16
        }
        for lane in lanes.indices { total &+= Int(lanes[lane]) }
    }
    while position < count {
        if unsafe start[position] == 0x0A { total &+= 1 }
        position &+= 1
    }
    return total
}
