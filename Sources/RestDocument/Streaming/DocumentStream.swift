// SPDX-License-Identifier: Apache-2.0

/// The documents in a stream of bytes, one after the other.
///
/// ```swift
/// for try await article in DocumentStream(body, .elements(at: "articles")) { handle(article) }
/// ```
///
/// The chunks may be cut anywhere. A document is handed out as soon as its last byte has arrived,
/// and no chunk is asked for before all documents of the last one were taken. See ``ElementReader``
/// for what is read, which limits hold and how much memory that takes.
///
/// Iterating throws ``DocumentError`` with the place in the stream, what the chunks throw, and
/// `CancellationError` between two documents when the task was cancelled. Documents before a mistake
/// come first. It can be iterated as often as the chunks can.
///
/// - Isolation: Reads in the caller's isolation and suspends only for chunks.
public struct DocumentStream<Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element: Sequence<UInt8> {
    /// One document.
    public typealias Element = Document
    /// Also the chunks can fail.
    public typealias Failure = any Error

    private let chunks: Chunks
    private let framing: DocumentFraming
    private let limits: ParseLimits
    private let totalByteCount: Int

    /// Reads documents out of chunks of bytes.
    ///
    /// - Parameters:
    ///   - chunks: Brings the text in pieces, such as the body of a response.
    ///   - framing: Where the documents are.
    ///   - limits: What each of them may grow to.
    ///   - totalByteCount: Most bytes of the whole stream; any number by default.
    public init(
        _ chunks: Chunks, _ framing: DocumentFraming = .elements, limits: ParseLimits = .default,
        totalByteCount: Int = .max
    ) {
        self.chunks = chunks
        self.framing = framing
        self.limits = limits
        self.totalByteCount = totalByteCount
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            chunks: chunks.makeAsyncIterator(),
            reader: ElementReader(framing, limits: limits, totalByteCount: totalByteCount))
    }

    /// Reads document by document.
    public struct Iterator: AsyncIteratorProtocol {
        /// Where the reader lives, as an iterator may be copied and a reader may not.
        private final class Place {
            var reader: ElementReader

            init(_ reader: consuming ElementReader) {
                self.reader = reader
            }
        }

        private var chunks: Chunks.AsyncIterator
        private let place: Place
        private var hasEnded = false

        fileprivate init(chunks: Chunks.AsyncIterator, reader: consuming ElementReader) {
            self.chunks = chunks
            place = Place(reader)
        }

        /// The next document, or `nil` when the text is complete.
        public mutating func next() async throws -> Document? {
            while true {
                try Task.checkCancellation()
                if let document = try place.reader.next() { return document }
                if hasEnded { return nil }
                if let chunk = try await chunks.next(isolation: #isolation) {
                    place.reader.append(chunk)
                } else {
                    hasEnded = true
                    place.reader.finish()
                }
            }
        }
    }
}

extension DocumentStream: Sendable where Chunks: Sendable {}
