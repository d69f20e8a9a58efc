// SPDX-License-Identifier: Apache-2.0

/// What a request carries after its header.
///
/// Bytes in memory, a file, or chunks that come while they are sent. A body whose length is known
/// goes out with Content-Length, any other chunk by chunk (RFC 9112 §7.1) or in the frames of
/// HTTP/2. Nothing of a file or stream is read before a connection stands, and little more than the
/// connection takes: a slow server slows the source down.
///
/// Redirects, replays with fresh credentials and retries send a body again from its start. A body
/// that is not ``isReplayable`` is never sent twice: such a repetition ends with code
/// ``TransportError/Code/bodyNotReplayable``.
///
/// Bodies are equal when they are the same bytes in memory, or come from the same source.
public struct MessageBody: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        case empty
        case bytes([UInt8])
        case source(MessageSource)
    }

    package let storage: Storage

    package init(storage: Storage) {
        self.storage = storage
    }

    /// No body and no length field, as in a GET.
    public static let empty = MessageBody(storage: .empty)

    /// A body held in memory, sent with its length; it may have zero bytes.
    ///
    /// - Parameter bytes: The body exactly as it goes on the wire.
    /// - Returns: The body.
    public static func bytes(_ bytes: [UInt8]) -> MessageBody {
        MessageBody(storage: .bytes(bytes))
    }

    /// A file, read while it is sent, with the length it has now.
    ///
    /// The file is opened for each sending and read in pieces of 64 KiB. A file that has another
    /// length when it is sent, or comes to have one while it is sent, ends the exchange with code
    /// ``TransportError/Code/bodyLengthMismatch``; other changes go unnoticed.
    ///
    /// - Parameter path: The file's path, absolute or relative to the working directory.
    /// - Returns: The body.
    /// - Throws: ``TransportError`` with code ``TransportError/Code/bodyUnavailable`` when there is
    ///   no such file, or it is a directory or a device.
    public static func file(at path: String) throws(TransportError) -> MessageBody {
        let byteCount = try FileReader(opening: path).byteCount
        let source = MessageSource(byteCount: byteCount, isReplayable: true) {
            let file = try FileReader(opening: path)
            guard file.byteCount == byteCount else {
                throw TransportError.bodyLengthMismatch(
                    "the file has \(file.byteCount) bytes instead of \(byteCount)")
            }
            return file
        }
        return MessageBody(storage: .source(source))
    }

    /// A body whose chunks are made anew for each sending.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes of all chunks, or `nil` when it is not known. Chunks that
    ///     come to another number end the exchange with code
    ///     ``TransportError/Code/bodyLengthMismatch``; the last one is sent when the sequence has
    ///     ended, so that a body that is too long is never complete.
    ///   - makeChunks: Makes a sequence that begins at the body's start; called once for each
    ///     sending. What it or the sequence throws is the `underlying` error of one with code
    ///     ``TransportError/Code/bodyUnavailable``.
    /// - Returns: The body.
    public static func stream<Chunks: AsyncSequence & SendableMetatype>(
        byteCount: Int? = nil, _ makeChunks: @escaping @Sendable () async throws -> Chunks
    ) -> MessageBody where Chunks.Element == [UInt8], Chunks.AsyncIterator: SendableMetatype {
        let source = MessageSource(byteCount: byteCount, isReplayable: true) {
            do {
                return SequenceReader(iterator: try await makeChunks().makeAsyncIterator())
            } catch {
                throw TransportError.ofSource(error)
            }
        }
        return MessageBody(storage: .source(source))
    }

    /// A body whose chunks can be had once.
    ///
    /// Once asked for, they are let go when the exchange is over, however it ends: an `AsyncStream`
    /// that nobody else holds is told so by its `onTermination`. Before that they live as long as the
    /// body.
    ///
    /// - Parameters:
    ///   - chunks: The chunks; asked for when the body is sent.
    ///   - byteCount: The number of bytes of all chunks, or `nil` when it is not known; as in
    ///     ``stream(byteCount:_:)``.
    /// - Returns: The body, which is not ``isReplayable``.
    public static func once<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, byteCount: Int? = nil
    ) -> MessageBody where Chunks.Element == [UInt8], Chunks.AsyncIterator: SendableMetatype {
        let source = MessageSource(byteCount: byteCount, isReplayable: false) {
            SequenceReader(iterator: chunks.makeAsyncIterator())
        }
        return MessageBody(storage: .source(source))
    }

    /// Whether there is no body at all; a body of zero bytes is one.
    public var isEmpty: Bool { storage == .empty }

    /// The body's bytes when it is held in memory, else `nil`.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { bytes } else { nil }
    }

    /// The body's length, or `nil` when it is not known before the end; 0 when there is no body.
    public var byteCount: Int? {
        switch storage {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.byteCount
        }
    }

    /// Whether the body can be sent again from its start.
    public var isReplayable: Bool {
        if case .source(let source) = storage { source.isReplayable } else { true }
    }
}
