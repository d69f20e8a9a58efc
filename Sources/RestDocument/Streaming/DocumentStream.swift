// SPDX-License-Identifier: Apache-2.0

/// An asynchronous sequence of the documents in a stream of bytes.
///
/// ```swift
/// for try await article in DocumentStream(body, .elements(at: "articles")) { handle(article) }
/// ```
///
/// Chunks may be split at any byte. Iteration returns a document as soon as its last byte has
/// arrived, and requests a chunk only after all documents of the previous one were returned. See
/// ``ElementReader`` for the accepted text, the limits and the memory use.
///
/// Iterating throws ``DocumentError`` with the position in the stream, the errors of the chunks,
/// and `CancellationError` between two documents if the task was cancelled. Documents before an
/// error are returned first. The sequence can be iterated as often as the chunks can.
///
/// - Isolation: Runs in the caller's isolation and suspends only for chunks.
public struct DocumentStream<Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element: Sequence<UInt8> {
    /// A document of the stream.
    public typealias Element = Document
    /// Any error, as the chunks can fail as well.
    public typealias Failure = any Error

    private let chunks: Chunks
    private let framing: DocumentFraming
    private let limits: ParseLimits
    private let totalByteCount: Int

    /// Creates a sequence of the documents in chunks of bytes.
    ///
    /// - Parameters:
    ///   - chunks: The text in pieces, such as the body of a response.
    ///   - framing: The arrangement of the documents.
    ///   - limits: The limits for each document.
    ///   - totalByteCount: The maximum number of bytes of the whole stream; unlimited by default.
    public init(
        _ chunks: Chunks, _ framing: DocumentFraming = .elements, limits: ParseLimits = .default,
        totalByteCount: Int = .max
    ) {
        self.chunks = chunks
        self.framing = framing
        self.limits = limits
        self.totalByteCount = totalByteCount
    }

    /// Returns an iterator over the documents.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            chunks: chunks.makeAsyncIterator(),
            reader: ElementReader(framing, limits: limits, totalByteCount: totalByteCount))
    }

    /// An iterator over the documents of a stream.
    public struct Iterator: AsyncIteratorProtocol {
        /// A reference to the reader, because an iterator is copyable and a reader is not.
        private final class ReaderBox {
            var reader: ElementReader

            init(_ reader: consuming ElementReader) {
                self.reader = reader
            }
        }

        private var chunks: Chunks.AsyncIterator
        private let box: ReaderBox
        private var hasEnded = false

        fileprivate init(chunks: Chunks.AsyncIterator, reader: consuming ElementReader) {
            self.chunks = chunks
            box = ReaderBox(reader)
        }

        /// Returns the next document, or `nil` at the end of the text.
        public mutating func next() async throws -> Document? {
            while true {
                try Task.checkCancellation()
                if let document = try box.reader.next() { return document }
                if hasEnded { return nil }
                if let chunk = try await chunks.next(isolation: #isolation) {
                    box.reader.append(chunk)
                } else {
                    hasEnded = true
                    box.reader.finish()
                }
            }
        }
    }
}

extension DocumentStream: Sendable where Chunks: Sendable {}
