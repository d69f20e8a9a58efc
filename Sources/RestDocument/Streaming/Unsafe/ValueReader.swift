// SPDX-License-Identifier: Apache-2.0

/// A reader of values from a ``StreamBuffer`` that uses the parser of whole documents.
///
/// A value is parsed in place. If it is incomplete, parsing resumes at the first incomplete string
/// or number once a ``TokenScanner`` has found its end. It also resumes whenever the token has
/// grown by a factor of four, so that an error or an exceeded limit is detected before much more is
/// buffered. The total time is linear in the length of the value, however small the chunks are.
///
/// Invariant: pointers into the buffer are used only until it changes. The parser may have
/// reallocated the nodes, so they are returned to the buffer immediately. Offsets in the value are
/// at most its number of bytes, where zeros begin.
struct ValueReader {
    private let limits: ParseLimits
    /// The position up to which an incomplete value was parsed.
    private var checkpoint = ParseCheckpoint.beginning
    /// The scanner of the incomplete token.
    private var pending: TokenScanner?
    /// The length of the value at which parsing resumes even though the token is incomplete.
    private var probeCount = 0
    /// The number of nodes of the last value.
    private var nodeCount = 0

    /// The number of bytes that had arrived when skipping a container failed.
    private var failedSkipCount = 0

    /// The maximum number of bytes that decide about one byte: the two escapes of a surrogate pair.
    private static let lookahead = 12

    init(limits: ParseLimits) {
        self.limits = limits
    }

    /// Reads the value that begins at the next byte.
    ///
    /// - Parameters:
    ///   - buffer: The input; nothing is consumed.
    ///   - outerDepth: The number of open containers around the value.
    /// - Returns: The number of bytes of the value; `nil` if more bytes have to arrive first.
    /// - Throws: ``DocumentError`` for the first error in the value, or for an exceeded limit.
    mutating func read(
        _ buffer: inout StreamBuffer, outerDepth: Int
    ) throws(DocumentError) -> Int? {
        let count = buffer.count
        while true {
            unsafe pending?.resume(buffer.next, count: count)
            let isAtEnd = pending?.isComplete == true || buffer.isFinished
            guard isAtEnd || pending == nil || count >= probeCount else { return nil }
            if pending != nil { buffer.reserveNodes(limits: limits) }
            var tape = unsafe JSONParser.scan(
                buffer.next, count: count, limits: limits, outerDepth: outerDepth, from: checkpoint,
                onto: buffer.nodes, capacity: buffer.nodeCapacity)
            unsafe buffer.replaceNodes(tape.nodes, capacity: tape.capacity)
            nodeCount = tape.count
            var isComplete = tape.failure == .none || tape.failure == .trailing
            if isComplete, tape.count > limits.tapeCapacity - 2 {
                tape.failure = .nodes
                isComplete = false
            }
            if isComplete {
                var length = tape.offset
                while unsafe length > 0 && isSpace(buffer.next[length - 1]) { length -= 1 }
                let mayContinue =
                    unsafe length == count && tape.nodes[0].kind.isNumber && !buffer.isFinished
                if !mayContinue {
                    try check(length, in: buffer)
                    checkpoint = .beginning
                    pending = nil
                    return length
                }
            }
            let next =
                unsafe isComplete ? .beginning : tape.checkpoint(in: buffer.next, count: count)
            let scan = unsafe TokenScanner(
                at: next.tokenOffset, first: buffer.next[next.tokenOffset])
            let isPendingToken = pending.map { $0.isSame(as: scan) } ?? false
            let isKnown =
                !isComplete && (isPendingToken && isAtEnd || tape.offset + Self.lookahead <= count)
                || buffer.isFinished || tape.failure == .nodes
            // The byte at the failure may begin a character that is incomplete.
            if isKnown, buffer.isCharacterComplete(tape.offset) {
                try check(tape.offset, in: buffer)
                if let error = buffer.encodingError(before: tape.offset + 1) { throw error }
                throw unsafe buffer.located(tape.error(in: buffer.next, count: count))
            }
            if count - Self.lookahead > limits.byteCount { try check(count, in: buffer) }
            checkpoint = next
            probeCount = nextProbe(buffer)
            if isPendingToken { return nil }
            pending = scan
        }
    }

    /// Skips a container that is not kept, if it is complete.
    ///
    /// After a failure it is tried again only once per chunk, so that deep containers take linear
    /// time.
    ///
    /// - Parameters:
    ///   - buffer: The input; nothing is consumed.
    ///   - outerDepth: The number of open containers around the container.
    /// - Returns: The number of bytes of the container; `nil` if it is incomplete or contains an
    ///   error, which reading its parts will find.
    mutating func skip(_ buffer: inout StreamBuffer, outerDepth: Int) -> Int? {
        guard buffer.arrivedCount > failedSkipCount else { return nil }
        let tape = unsafe JSONParser.scan(
            buffer.next, count: buffer.count, limits: limits, outerDepth: outerDepth,
            onto: buffer.nodes, capacity: buffer.nodeCapacity)
        unsafe buffer.replaceNodes(tape.nodes, capacity: tape.capacity)
        buffer.dropNodes()
        // A container longer than a value may be can contain a number or string that is too long.
        guard tape.failure == .none || tape.failure == .trailing, tape.offset <= buffer.validCount,
            tape.offset <= limits.byteCount
        else {
            failedSkipCount = buffer.arrivedCount
            return nil
        }
        return tape.offset
    }

    /// Returns the last value as a separate document, and consumes it.
    ///
    /// - Parameters:
    ///   - buffer: The input, with the value at the next byte.
    ///   - length: The number of bytes of the value.
    /// - Returns: A document that contains nothing else.
    /// - Throws: ``DocumentError`` for a repeated key, if the limits forbid it.
    func document(
        _ buffer: inout StreamBuffer, length: Int
    ) throws(DocumentError) -> Document {
        guard limits.rejectsDuplicateKeys else {
            return Document(storage: buffer.takeStorage(length, nodeCount: nodeCount))
        }
        let storage = buffer.copiedStorage(length, nodeCount: nodeCount)
        do throws(DocumentError) {
            try storage.requireDistinctKeys()
        } catch {
            throw buffer.located(error)
        }
        buffer.consume(length)
        return Document(storage: storage)
    }

    /// Appends the unescaped text of the last string.
    func appendText(_ buffer: borrowing StreamBuffer, to text: inout [UInt8]) {
        let view = unsafe NodeView(
            bytes: buffer.next, nodes: UnsafePointer(buffer.nodes), index: 0)
        unsafe view.withTextBytes { bytes in unsafe text.append(contentsOf: bytes) }
    }

    /// Throws the earlier error of a value that is too large or not UTF-8 up to an offset.
    private func check(_ offset: Int, in buffer: borrowing StreamBuffer) throws(DocumentError) {
        if offset > limits.byteCount, buffer.validCount >= limits.byteCount {
            throw buffer.located(
                DocumentError(
                    .limitExceeded, offset: limits.byteCount,
                    expected: "at most \(limits.byteCount) bytes in one value"))
        }
        if let error = buffer.encodingError(before: offset) { throw error }
    }

    /// Returns the length at which to parse an incomplete token again.
    private func nextProbe(_ buffer: borrowing StreamBuffer) -> Int {
        var probe =
            checkpoint.tokenOffset + max((buffer.count - checkpoint.tokenOffset) * 4, 1 << 10)
        // Not beyond the first length that is known to exceed a limit.
        var limit = limits.byteCount
        if unsafe buffer.next[checkpoint.tokenOffset] == UInt8(ascii: "\"") {
            let (textLimit, isBeyond) =
                limits.stringByteCount.addingReportingOverflow(checkpoint.tokenOffset)
            if !isBeyond { limit = min(limit, textLimit) }
        }
        limit = min(limit, Int.max - 64) + Self.lookahead + 2
        if limit > buffer.count { probe = min(probe, limit) }
        return probe
    }
}

private func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
