// SPDX-License-Identifier: Apache-2.0

/// A reader of documents from bytes that arrive in chunks.
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
/// ``DocumentStream`` is the same for an asynchronous sequence.
///
/// The entire text is parsed as strictly as a document (RFC 8259), including the text around and
/// after the array, in stream order: everything before the first error is returned. A byte order
/// mark is skipped at the beginning of the stream only, not at the beginning of a line. Errors have
/// their position in the stream. Offsets in a returned ``Document``, and in its
/// ``Document/issues``, are relative to its own beginning.
///
/// ``ParseLimits`` apply to each element or line; ``ParseLimits/depth`` counts from the outermost
/// container. Text around the elements is checked but not kept. Its size is limited only by the
/// total, its depth, strings and members by the limits, and each of its numbers and strings by
/// ``ParseLimits/byteCount``. Repeated keys are detected only in the elements and on the path to
/// them.
///
/// The reader keeps the bytes that have arrived and were not read, which are one element and one
/// chunk if `next()` is called until it returns `nil`, and 16 bytes for every value and key of the
/// element, in memory that may be four times as large, the rest of which is not touched. A small
/// element is copied out of this memory; a large one takes ownership of the part that it needs.
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
    /// A Boolean value that indicates whether bytes beyond the total limit were dropped.
    private var isTooLong = false
    private var isEncodingKnown = false
    private var failure: DocumentError?

    /// Creates a reader at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - framing: The arrangement of the documents.
    ///   - limits: The limits for each document.
    ///   - totalByteCount: The maximum number of bytes of the whole stream; unlimited by default.
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

    /// Appends bytes that have arrived.
    ///
    /// The bytes are copied, and ``next()`` returns the documents in them. After ``finish()`` or an
    /// error, this method does nothing.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        guard failure == nil, !isTooLong, !buffer.isFinished else { return }
        isTooLong = !buffer.append(bytes, upTo: totalByteCount)
    }

    /// Marks the end of the stream.
    ///
    /// ``next()`` returns the remaining documents, and throws if the text is incomplete.
    public mutating func finish() {
        if !isTooLong { buffer.finish() }
    }

    /// Returns the next document.
    ///
    /// - Returns: The document; `nil` if more bytes have to arrive first and, after ``finish()``,
    ///   at the end of a complete text.
    /// - Throws: ``DocumentError`` with the position in the stream. Further calls throw the same
    ///   error.
    public mutating func next() throws(DocumentError) -> Document? {
        if let failure { throw failure }
        do throws(DocumentError) {
            return try framing == .lines ? nextLine() : nextElement()
        } catch {
            failure = error
            throw error
        }
    }

    /// The number of bytes that have been read: the end of the last document in the stream.
    package var readByteCount: Int { buffer.offset }

    /// The number of bytes reserved for unread input and for parsing it.
    package var reservedByteCount: Int { buffer.reservedByteCount }

    // MARK: - Lines

    private mutating func nextLine() throws(DocumentError) -> Document? {
        guard try hasKnownEncoding() else { return try incomplete() }
        buffer.skipSpace()
        guard buffer.count > 0, let document = try lines.read(&buffer) else {
            return try incomplete()
        }
        return document
    }

    // MARK: - Elements

    private mutating func nextElement() throws(DocumentError) -> Document? {
        guard try hasKnownEncoding() else { return try incomplete() }
        while true {
            buffer.skipSpace()
            guard buffer.count > 0 else {
                if buffer.isFinished, envelope.expectation != .end { throw unexpectedByte() }
                return try incomplete()
            }
            let byte = buffer.nextByte
            switch (envelope.expectation, byte) {
            case (.separator, UInt8(ascii: ",")):
                envelope.consumeSeparator()
                buffer.consume(1)
            case (.separator, UInt8(ascii: "]")), (.firstValue, UInt8(ascii: "]")),
                (.separator, UInt8(ascii: "}")), (.firstKey, UInt8(ascii: "}")):
                guard (byte == UInt8(ascii: "}")) == envelope.isInObject else {
                    throw unexpectedByte()
                }
                try advance { envelope throws(DocumentError) in try envelope.closeContainer() }
                buffer.consume(1)
            case (.colon, UInt8(ascii: ":")):
                envelope.consumeColon()
                buffer.consume(1)
            case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
                guard let length = try value() else { return try incomplete() }
                try key()
                buffer.consume(length)
            case (.value, _), (.firstValue, _):
                guard Self.canBeginValue(byte) else {
                    guard buffer.isCharacterComplete(0) else { return try incomplete() }
                    throw unexpectedByte()
                }
                envelope.beginValue()
                if envelope.isAtElement {
                    guard let length = try value() else { return try incomplete() }
                    return try element(length)
                }
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                    try openContainer(isObject: byte == UInt8(ascii: "{"))
                } else {
                    guard let length = try value() else { return try incomplete() }
                    try advance { envelope throws(DocumentError) in try envelope.completeScalar() }
                    buffer.consume(length)
                }
            default:
                guard buffer.isCharacterComplete(0) else { return try incomplete() }
                throw unexpectedByte()
            }
        }
    }

    /// Enters a container, or skips it.
    private mutating func openContainer(isObject: Bool) throws(DocumentError) {
        if !envelope.isOnTargetPath, let length = values.skip(&buffer, outerDepth: envelope.depth) {
            envelope.completeValue()
            buffer.consume(length)
            return
        }
        guard envelope.depth < limits.depth else { throw located(envelope.error(.depth)) }
        try advance { envelope throws(DocumentError) in
            try envelope.openContainer(isObject: isObject)
        }
        buffer.consume(1)
    }

    /// Returns the number of bytes of the next value; `nil` if it is incomplete.
    private mutating func value() throws(DocumentError) -> Int? {
        do throws(DocumentError) {
            return try values.read(&buffer, outerDepth: envelope.depth)
        } catch {
            throw prefixingPath(of: error)
        }
    }

    private mutating func element(_ length: Int) throws(DocumentError) -> Document {
        do throws(DocumentError) {
            let document = try values.document(&buffer, length: length)
            envelope.completeValue()
            return document
        } catch {
            throw prefixingPath(of: error)
        }
    }

    private mutating func key() throws(DocumentError) {
        do throws(DocumentError) {
            try envelope.consumeKey { text in values.appendText(buffer, to: &text) }
        } catch {
            throw located(error)
        }
    }

    private mutating func advance(
        _ step: (inout Envelope) throws(DocumentError) -> Void
    ) throws(DocumentError) {
        do throws(DocumentError) {
            try step(&envelope)
        } catch {
            throw located(error)
        }
    }

    // MARK: - Errors

    /// Returns a Boolean value that indicates whether enough bytes have arrived to detect other
    /// encodings, and skips a byte order mark.
    private mutating func hasKnownEncoding() throws(DocumentError) -> Bool {
        if isEncodingKnown { return true }
        // A byte order mark has two or three bytes, and no text is complete before its second byte.
        let needed = buffer.nextByte == 0xEF ? 3 : 2
        guard buffer.isFinished || buffer.count >= needed else { return false }
        // Invariant: zeros follow the bytes that have arrived, so three bytes exist.
        if let error = unsafe JSONParser.encodingError(buffer.next, count: buffer.count) {
            throw error
        }
        unsafe buffer.consume(JSONParser.byteOrderMarkLength(buffer.next))
        isEncodingKnown = true
        return true
    }

    /// Returns `nil` if more bytes have to arrive first; throws if no more are accepted.
    private func incomplete() throws(DocumentError) -> Document? {
        guard isTooLong else { return nil }
        throw buffer.located(
            DocumentError(
                .limitExceeded, offset: buffer.count,
                expected: "at most \(totalByteCount) bytes in the stream"))
    }

    /// Returns the error for an unexpected or missing next byte.
    private func unexpectedByte() -> DocumentError {
        if let error = buffer.encodingError(before: 1) { return prefixingPath(of: error) }
        var error = envelope.error(envelope.failure)
        if buffer.count == 0 { error.code = .unexpectedEnd }
        return located(error)
    }

    /// Returns an error at the next byte with its position in the stream.
    private func located(_ error: DocumentError) -> DocumentError {
        prefixingPath(of: buffer.located(error))
    }

    /// Returns an error with the path of the current value prepended to its own.
    private func prefixingPath(of error: DocumentError) -> DocumentError {
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
