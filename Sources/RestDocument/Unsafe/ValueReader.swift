// SPDX-License-Identifier: Apache-2.0

/// Reads one value after the other out of a ``StreamBuffer``, with the parser of whole documents.
///
/// A value is parsed where it lies. If it turns out to be incomplete, parsing goes on at the first
/// text or number that was, once a ``TokenScan`` has found its end; meanwhile also whenever that has
/// become four times as long, so that a mistake or a limit is found before much more has been kept.
/// All of that is linear in the value's length, however small the chunks are.
///
/// Invariant: pointers into the buffer are used before it changes. The parser may have moved the
/// nodes, so they go back into the buffer at once. Places in the value are its byte count at most,
/// where zeros begin.
struct ValueReader {
    private let limits: ParseLimits
    /// How far an incomplete value was parsed.
    private var point = ParsePoint.beginning
    /// What follows the token that was not complete.
    private var pending: TokenScan?
    /// The length at which the value is looked into before the token is complete.
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
        let count = buffer.count
        while true {
            unsafe pending?.resume(buffer.next, count: count)
            let isAtEnd = pending?.isComplete == true || buffer.isFinished
            guard isAtEnd || pending == nil || count >= probeCount else { return nil }
            if pending != nil { buffer.reserveNodes(limits: limits) }
            var tape = unsafe JSONParser.scan(
                buffer.next, count: count, limits: limits, outerDepth: outerDepth, from: point,
                onto: buffer.nodes, capacity: buffer.nodeCapacity)
            unsafe buffer.replaceNodes(tape.nodes, capacity: tape.capacity)
            nodeCount = tape.count
            var isWhole = tape.fault == .none || tape.fault == .trailing
            if isWhole, tape.count > limits.tapeCapacity - 2 {
                tape.fault = .nodes
                isWhole = false
            }
            if isWhole {
                var length = tape.place
                while unsafe length > 0 && isSpace(buffer.next[length - 1]) { length -= 1 }
                let mayGoOn =
                    unsafe length == count && tape.nodes[0].kind.isNumber && !buffer.isFinished
                if !mayGoOn {
                    try check(length, in: buffer)
                    point = .beginning
                    pending = nil
                    return length
                }
            }
            let next = unsafe isWhole ? .beginning : tape.point(in: buffer.next, count: count)
            let scan = unsafe TokenScan(at: next.token, first: buffer.next[next.token])
            let isTried = pending.map { $0.isSame(as: scan) } ?? false
            let isKnown =
                !isWhole && (isTried && isAtEnd || tape.place + Self.lookahead <= count)
                || buffer.isFinished || tape.fault == .nodes
            // The byte at the mistake may begin a character whose rest is still to come.
            if isKnown, buffer.isDecided(tape.place) {
                try check(tape.place, in: buffer)
                if let error = buffer.encodingError(before: tape.place + 1) { throw error }
                throw unsafe buffer.placed(tape.error(in: buffer.next, count: count))
            }
            if count - Self.lookahead > limits.byteCount { try check(count, in: buffer) }
            point = next
            probeCount = nextProbe(buffer)
            if isTried { return nil }
            pending = scan
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
        buffer.dropNodes()
        // One that is longer than a value may be can hold a number or text that is.
        guard tape.fault == .none || tape.fault == .trailing, tape.place <= buffer.validCount,
            tape.place <= limits.byteCount
        else {
            failedSkipCount = buffer.arrivedCount
            return nil
        }
        return tape.place
    }

    /// The value read last as a document of its own; it is consumed.
    ///
    /// - Parameters:
    ///   - buffer: Where it still is the next.
    ///   - length: Its byte count.
    /// - Returns: A document that holds nothing else.
    /// - Throws: ``DocumentError`` for a repeated key where the limits refuse that.
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
            throw buffer.placed(error)
        }
        buffer.consume(length)
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

    /// When to look into an incomplete token again.
    private func nextProbe(_ buffer: borrowing StreamBuffer) -> Int {
        var probe = point.token + max((buffer.count - point.token) * 4, 1 << 10)
        // Never beyond the first length that is known to be too much.
        var limit = limits.byteCount
        if unsafe buffer.next[point.token] == UInt8(ascii: "\"") {
            let (textLimit, isBeyond) =
                limits.stringByteCount.addingReportingOverflow(point.token)
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
