// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads one value after the other out of a ``StreamBuffer``, with the parser of whole documents.
///
/// A value is parsed where it lies. If it turns out to be incomplete, a ``ValueScan`` follows what
/// arrives and it is parsed again when its end is there; meanwhile also whenever it has become four
/// times as long, so that a mistake or a limit is found before much more has been kept. All of that
/// is linear in the value's length, however small the chunks are.
struct ValueReader {
    private let limits: ParseLimits
    /// What follows an incomplete value.
    private var scan: ValueScan?
    /// The length at which an incomplete value is looked into.
    private var probeCount = 0
    /// Nodes of the value read last.
    private var nodeCount = 0

    /// What had arrived when a container could not be skipped.
    private var failedSkipCount = 0

    /// Most bytes that decide about a byte: the two escapes of a surrogate pair.
    private static let lookahead = 12

    init(limits: ParseLimits) {
        self.limits = limits
    }

    /// Reads the value that begins at the next byte.
    ///
    /// - Parameters:
    ///   - buffer: Where it lies; nothing is consumed.
    ///   - outerDepth: How many containers are open around it.
    /// - Returns: Its byte count; `nil` when more bytes have to arrive first.
    /// - Throws: The first mistake in it, or that it is too large.
    mutating func read(
        _ buffer: inout StreamBuffer, outerDepth: Int
    ) throws(DocumentError) -> Int? {
        while true {
            let count = buffer.count
            if var pending = scan {
                if !pending.isComplete { unsafe pending.resume(buffer.next, count: count) }
                scan = pending
                guard pending.isComplete || count >= probeCount || buffer.isFinished else {
                    return nil
                }
            }
            var tape = unsafe JSONParser.scan(
                buffer.next, count: count, limits: limits, outerDepth: outerDepth,
                onto: buffer.nodes, capacity: buffer.nodeCapacity)
            unsafe buffer.replaceNodes(tape.nodes, capacity: tape.capacity)
            nodeCount = tape.count
            if tape.fault == .none || tape.fault == .trailing {
                var length = tape.place
                while unsafe length > 0 && isSpace(buffer.next[length - 1]) { length -= 1 }
                let mayGoOn =
                    unsafe length == count && tape.nodes[0].kind.isNumber && !buffer.isFinished
                if tape.count > limits.tapeCapacity - 2 {
                    tape.fault = .nodes
                } else if !mayGoOn {
                    try check(length, in: buffer)
                    scan = nil
                    return length
                }
            }
            let isKnown =
                buffer.isFinished || scan?.isComplete == true
                || tape.place + Self.lookahead <= count
            // The byte at the mistake may begin a character whose rest is still to come.
            if isKnown, buffer.isDecided(tape.place) {
                try check(tape.place, in: buffer)
                if let error = buffer.encodingError(before: tape.place + 1) { throw error }
                throw unsafe buffer.placed(tape.error(in: buffer.next, count: count))
            }
            if count - Self.lookahead > limits.byteCount { try check(count, in: buffer) }
            guard scan == nil else {
                probeCount = nextProbe(buffer)
                return nil
            }
            scan = ValueScan(first: buffer.nextByte)
            probeCount = nextProbe(buffer)
        }
    }

    /// Reads over a container that is not kept, if all of it has arrived.
    ///
    /// Tried once for each chunk at most when it fails, so that it stays linear for deep ones.
    ///
    /// - Parameters:
    ///   - buffer: Where it lies; nothing is consumed.
    ///   - outerDepth: How many containers are open around it.
    /// - Returns: Its byte count; `nil` also for a mistake, which reading it in parts will find.
    mutating func skip(_ buffer: inout StreamBuffer, outerDepth: Int) -> Int? {
        guard buffer.arrivedCount > failedSkipCount else { return nil }
        let tape = unsafe JSONParser.scan(
            buffer.next, count: buffer.count, limits: limits, outerDepth: outerDepth,
            onto: buffer.nodes, capacity: buffer.nodeCapacity)
        unsafe buffer.replaceNodes(tape.nodes, capacity: tape.capacity)
        // One that is longer than a value may be can hold a number or text that is.
        guard tape.fault == .none || tape.fault == .trailing, tape.place <= buffer.validCount,
            tape.place <= limits.byteCount
        else {
            failedSkipCount = buffer.arrivedCount
            return nil
        }
        return tape.place
    }

    /// The value read last as a document of its own.
    ///
    /// - Parameters:
    ///   - buffer: Where it still is the next.
    ///   - length: Its byte count.
    /// - Returns: A document that holds nothing else.
    /// - Throws: ``DocumentError`` for a repeated key where the limits refuse that.
    func document(_ buffer: borrowing StreamBuffer, length: Int) throws(DocumentError) -> Document {
        let bytes = unsafe allocateBytes(length + DocumentStorage.padding)
        unsafe memcpy(bytes, buffer.next, length)
        unsafe (bytes + length).update(repeating: 0, count: DocumentStorage.padding)
        let nodes = unsafe allocateNodes(nodeCount)
        unsafe nodes.update(from: buffer.nodes, count: nodeCount)
        let storage = unsafe DocumentStorage(
            adopting: bytes, byteCount: length, nodes: nodes, nodeCount: nodeCount)
        if limits.rejectsDuplicateKeys {
            do throws(DocumentError) {
                try storage.requireDistinctKeys()
            } catch {
                throw buffer.placed(error)
            }
        }
        return Document(storage: storage)
    }

    /// Appends the text of the string read last, unescaped.
    func appendText(_ buffer: borrowing StreamBuffer, to text: inout [UInt8]) {
        let view = unsafe NodeView(
            bytes: buffer.next, nodes: UnsafePointer(buffer.nodes), index: 0)
        unsafe view.withTextBytes { bytes in unsafe text.append(contentsOf: bytes) }
    }

    /// Refuses a value that is too large, or not UTF-8, up to a place; the earlier of both.
    private func check(_ place: Int, in buffer: borrowing StreamBuffer) throws(DocumentError) {
        if place > limits.byteCount, buffer.validCount >= limits.byteCount {
            throw buffer.placed(
                DocumentError(
                    .limitExceeded, offset: limits.byteCount,
                    expected: "at most \(limits.byteCount) bytes in one value"))
        }
        if let error = buffer.encodingError(before: place) { throw error }
    }

    /// When to look into an incomplete value again.
    private func nextProbe(_ buffer: borrowing StreamBuffer) -> Int {
        var probe = max(buffer.count * 4, 1 << 10)
        var limit = limits.byteCount
        if buffer.nextByte == UInt8(ascii: "\"") { limit = min(limit, limits.stringByteCount) }
        // Never beyond the first length that is known to be too much.
        limit = min(limit, Int.max - 64) + Self.lookahead + 2
        if limit > buffer.count { probe = min(probe, limit) }
        return probe
    }
}

private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
