// SPDX-License-Identifier: Apache-2.0

/// The body of a request.
///
/// A body is bytes in memory, a file, or a stream of chunks. A body with a known length is sent
/// with Content-Length, any other in chunks (RFC 9112 §7.1) or HTTP/2 frames. A file or stream is
/// read only after the connection is established, and only little more of it than the connection
/// accepts: a slow server slows the source down.
///
/// Redirects, retries and repetitions with new credentials send a body again from its start. A body
/// that is not ``isReplayable`` is never sent twice: a repetition fails with code
/// ``TransportError/Code/bodyNotReplayable``.
///
/// Bodies are equal if they have the same bytes in memory or the same source.
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

    /// An absent body, without a length field, as in a GET.
    public static let empty = MessageBody(storage: .empty)

    /// Returns a body in memory, which is sent with its length and may have zero bytes.
    ///
    /// - Parameter bytes: The bytes to send.
    /// - Returns: The body.
    public static func bytes(_ bytes: [UInt8]) -> MessageBody {
        MessageBody(storage: .bytes(bytes))
    }

    /// Returns a body that is a file, with the present length of the file.
    ///
    /// The file is opened each time the body is sent, and read in chunks of 64 KiB. If its length
    /// has changed or changes while it is sent, the exchange fails with code
    /// ``TransportError/Code/bodyLengthMismatch``; other changes are not detected.
    ///
    /// - Parameter path: The path of the file, absolute or relative to the working directory.
    /// - Returns: The body.
    /// - Throws: ``TransportError`` with code ``TransportError/Code/bodyUnavailable`` if there is
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

    /// Returns a body whose chunks are created each time it is sent.
    ///
    /// - Parameters:
    ///   - byteCount: The size of all chunks in bytes, or `nil` if it is unknown. If the chunks
    ///     have another size, the exchange fails with code
    ///     ``TransportError/Code/bodyLengthMismatch``. The last chunk is sent when the sequence has
    ///     ended, so that a body that is too long is never complete.
    ///   - makeChunks: A closure that returns a sequence of all chunks; called each time the body
    ///     is sent. An error of the closure or the sequence becomes the `underlying` error of one
    ///     with code ``TransportError/Code/bodyUnavailable``.
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

    /// Returns a body whose chunks can be read once.
    ///
    /// The sequence is released when the exchange that reads it ends, successfully or not; an
    /// `AsyncStream` without other references then calls its `onTermination`. A sequence that is
    /// never read is released with the body.
    ///
    /// - Parameters:
    ///   - chunks: The chunks, which are read when the body is sent.
    ///   - byteCount: The size of all chunks in bytes, or `nil` if it is unknown, as in
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

    /// A Boolean value that indicates whether there is no body; a body of zero bytes is not empty
    /// in this sense.
    public var isEmpty: Bool { storage == .empty }

    /// The bytes of a body in memory, or `nil` for any other body.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { bytes } else { nil }
    }

    /// The size of the body in bytes, or `nil` if it is unknown; 0 if there is no body.
    public var byteCount: Int? {
        switch storage {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.byteCount
        }
    }

    /// A Boolean value that indicates whether the body can be sent again from its start.
    public var isReplayable: Bool {
        if case .source(let source) = storage { source.isReplayable } else { true }
    }
}
