// SPDX-License-Identifier: Apache-2.0

/// Reads documents out of bytes that arrive in pieces, each as soon as it is complete.
///
/// ```swift
/// var reader = ElementReader(.elements(at: "articles"))
/// while let chunk = receive() {
///     reader.append(chunk)
///     while let article = try reader.next() { handle(article) }
/// }
/// reader.finish()
/// while let article = try reader.next() { handle(article) }
/// ```
///
/// ``DocumentStream`` does the same with an asynchronous sequence.
///
/// The whole text is read as strictly as a document (RFC 8259), also what lies around and behind the
/// array, in stream order: everything before the first mistake is handed out. Errors have their
/// place in the stream. Places inside a ``Document`` that was handed out, and in its
/// ``Document/issues``, count from its own beginning.
///
/// ``ParseLimits`` hold for each element or line, ``ParseLimits/depth`` from the outermost container
/// on. What lies around the elements is checked and not kept, so its size is limited only by the
/// total; its depth, texts and members are, and ``ParseLimits/byteCount`` for one number or text.
/// Repeated keys are looked for in the elements and on the way to them only.
///
/// Memory: what has arrived and was not read, which is one element and one chunk where `next()` is
/// called until it returns `nil`, and 16 bytes for every value and key of the element, in room that
/// may be four times as large, of which the rest is not touched. A small element is copied out of
/// that room, a large one takes along what it needs of it.
///
/// - Complexity: O(*n*) in the bytes of the stream, whatever the size of the chunks.
public struct ElementReader: ~Copyable {
    private let framing: DocumentFraming
    private let limits: ParseLimits
    private let totalByteCount: Int
    private var buffer: StreamBuffer
    private var envelope: Envelope
    private var values: ValueReader
    private var lines: LineReader
    /// Whether bytes were left out because there are too many.
    private var isTooLong = false
    private var isEncodingKnown = false
    private var failure: DocumentError?

    /// Makes a reader at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - framing: Where the documents are.
    ///   - limits: What each of them may grow to.
    ///   - totalByteCount: Most bytes of the whole stream; any number by default.
    public init(
        _ framing: DocumentFraming = .elements, limits: ParseLimits = .default,
        totalByteCount: Int = .max
    ) {
        self.framing = framing
        self.limits = limits
        self.totalByteCount = max(totalByteCount, 0)
        buffer = StreamBuffer(limits: limits)
        envelope = Envelope(path: framing.path, limits: limits)
        values = ValueReader(limits: limits)
        lines = LineReader(limits: limits)
    }

    /// Adds bytes that have arrived.
    ///
    /// Copies them; ``next()`` says what is in them. Nothing is added after ``finish()`` or an error.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        guard failure == nil, !isTooLong, !buffer.isFinished else { return }
        isTooLong = !buffer.append(bytes, upTo: totalByteCount)
    }

    /// Says that no more bytes will come.
    ///
    /// What is left comes from ``next()``, which throws if the text is not complete.
    public mutating func finish() {
        if !isTooLong { buffer.finish() }
    }

    /// The next document.
    ///
    /// - Returns: `nil` when more bytes have to arrive first and, after ``finish()``, when there is
    ///   no other document and the text is complete.
    /// - Throws: ``DocumentError`` with the place in the stream; the same one when asked again.
    public mutating func next() throws(DocumentError) -> Document? {
        if let failure { throw failure }
        do throws(DocumentError) {
            return try framing == .lines ? nextLine() : nextElement()
        } catch {
            failure = error
            throw error
        }
    }

    /// Bytes reserved for what has arrived and for reading it.
    package var reservedByteCount: Int { buffer.reservedByteCount }

    // MARK: - Lines

    private mutating func nextLine() throws(DocumentError) -> Document? {
        guard try hasKnownEncoding() else { return try wait() }
        buffer.skipSpace()
        guard buffer.count > 0, let document = try lines.read(&buffer) else { return try wait() }
        return document
    }

    // MARK: - Elements

    private mutating func nextElement() throws(DocumentError) -> Document? {
        guard try hasKnownEncoding() else { return try wait() }
        while true {
            buffer.skipSpace()
            guard buffer.count > 0 else {
                if buffer.isFinished, envelope.expectation != .end { throw mistake() }
                return try wait()
            }
            let byte = buffer.nextByte
            switch (envelope.expectation, byte) {
            case (.separator, UInt8(ascii: ",")):
                envelope.separate()
                buffer.consume(1)
            case (.separator, UInt8(ascii: "]")), (.firstValue, UInt8(ascii: "]")),
                (.separator, UInt8(ascii: "}")), (.firstKey, UInt8(ascii: "}")):
                guard (byte == UInt8(ascii: "}")) == envelope.isInObject else { throw mistake() }
                try note { envelope throws(DocumentError) in try envelope.close() }
                buffer.consume(1)
            case (.colon, UInt8(ascii: ":")):
                envelope.colon()
                buffer.consume(1)
            case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
                guard let length = try value() else { return try wait() }
                try key()
                buffer.consume(length)
            case (.value, _), (.firstValue, _):
                guard Self.canBeginValue(byte) else {
                    guard buffer.isDecided(0) else { return try wait() }
                    throw mistake()
                }
                envelope.beginValue()
                if envelope.isAtElement {
                    guard let length = try value() else { return try wait() }
                    return try element(length)
                }
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                    try open(isObject: byte == UInt8(ascii: "{"))
                } else {
                    guard let length = try value() else { return try wait() }
                    try note { envelope throws(DocumentError) in try envelope.scalar() }
                    buffer.consume(length)
                }
            default:
                guard buffer.isDecided(0) else { return try wait() }
                throw mistake()
            }
        }
    }

    /// Goes into a container, or over it.
    private mutating func open(isObject: Bool) throws(DocumentError) {
        if !envelope.isOnRoute, let length = values.skip(&buffer, outerDepth: envelope.depth) {
            envelope.whole()
            buffer.consume(length)
            return
        }
        guard envelope.depth < limits.depth else { throw placed(envelope.error(.depth)) }
        try note { envelope throws(DocumentError) in try envelope.open(isObject: isObject) }
        buffer.consume(1)
    }

    /// The byte count of the value that comes next, when all of it has arrived.
    private mutating func value() throws(DocumentError) -> Int? {
        do throws(DocumentError) {
            return try values.read(&buffer, outerDepth: envelope.depth)
        } catch {
            throw inside(error)
        }
    }

    private mutating func element(_ length: Int) throws(DocumentError) -> Document {
        do throws(DocumentError) {
            let document = try values.document(&buffer, length: length)
            envelope.whole()
            return document
        } catch {
            throw inside(error)
        }
    }

    private mutating func key() throws(DocumentError) {
        do throws(DocumentError) {
            try envelope.key { text in values.appendText(buffer, to: &text) }
        } catch {
            throw placed(error)
        }
    }

    private mutating func note(
        _ step: (inout Envelope) throws(DocumentError) -> Void
    ) throws(DocumentError) {
        do throws(DocumentError) {
            try step(&envelope)
        } catch {
            throw placed(error)
        }
    }

    // MARK: - Mistakes

    /// Whether enough has arrived to know that it is UTF-8.
    private mutating func hasKnownEncoding() throws(DocumentError) -> Bool {
        if isEncodingKnown { return true }
        // A mark has two bytes or three, and no text is complete before its second byte.
        let needed = buffer.nextByte == 0xEF ? 3 : 2
        guard buffer.isFinished || buffer.count >= needed else { return false }
        // Invariant: zeros follow what has arrived, so three bytes are there.
        if let error = unsafe JSONParser.encodingError(buffer.next, count: buffer.count) {
            throw error
        }
        isEncodingKnown = true
        return true
    }

    /// Nothing, as more has to arrive first; an error where no more is taken.
    private func wait() throws(DocumentError) -> Document? {
        guard isTooLong else { return nil }
        throw buffer.placed(
            DocumentError(
                .limitExceeded, offset: buffer.count,
                expected: "at most \(totalByteCount) bytes in the stream"))
    }

    /// The error for a next byte that cannot stand there, or is not there at all.
    private func mistake() -> DocumentError {
        if let error = buffer.encodingError(before: 1) { return inside(error) }
        var error = envelope.error(envelope.fault)
        if buffer.count == 0 { error.code = .unexpectedEnd }
        return placed(error)
    }

    /// Gives an error at the next byte its place.
    private func placed(_ error: DocumentError) -> DocumentError { inside(buffer.placed(error)) }

    /// Puts the way to the value being read before the path of an error inside it.
    private func inside(_ error: DocumentError) -> DocumentError {
        var error = error
        let components = envelope.path.components + error.path.components
        error.path = DocumentPath(Array(components.prefix(512)))
        return error
    }

    private static func canBeginValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"),
            UInt8(ascii: "n"):
            true
        default:
            false
        }
    }
}
