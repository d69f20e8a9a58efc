// SPDX-License-Identifier: Apache-2.0

extension MessageBody {
    /// The chunks of the body, whose total size is checked against the declared length.
    public var chunks: Chunks { Chunks(storage: storage) }

    /// The chunks of a body.
    ///
    /// Each iterator begins at the start, for one transmission of the body. A body in memory is one
    /// chunk. A transport reads the next chunk when it has buffer space for it, and releases the
    /// iterator or cancels the reading task when the exchange ends.
    public struct Chunks: AsyncSequence, Sendable {
        /// A chunk of at least one byte.
        public typealias Element = [UInt8]

        /// The error type; ``TransportError`` or `CancellationError`.
        public typealias Failure = any Error

        fileprivate let storage: Storage

        /// Returns an iterator for one transmission, which opens the source at the first chunk.
        public func makeAsyncIterator() -> Iterator {
            Iterator(state: .unopened(storage))
        }

        /// An iterator over the chunks for one transmission.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate enum State {
                case unopened(Storage)
                case reading(any ChunkReader, remaining: Int?)
                case finished
            }

            fileprivate var state: State

            /// Returns the next chunk, or `nil` at the end of the body.
            ///
            /// - Throws: ``TransportError`` with code `bodyUnavailable`, `bodyLengthMismatch` or
            ///   `bodyNotReplayable`, and `CancellationError`.
            public mutating func next() async throws -> [UInt8]? {
                switch state {
                case .finished, .unopened(.empty):
                    return nil
                case .unopened(.bytes(let bytes)):
                    state = .finished
                    return bytes.isEmpty ? nil : bytes
                case .unopened(.source(let source)):
                    state = .finished
                    return try await next(from: source.open(), remaining: source.byteCount)
                case .reading(let reader, let remaining):
                    state = .finished
                    return try await next(from: reader, remaining: remaining)
                }
            }

            private mutating func next(
                from reader: any ChunkReader, remaining: Int?
            ) async throws -> [UInt8]? {
                var reader = reader
                guard let chunk = try await Self.chunk(from: &reader) else {
                    if let remaining, remaining > 0 {
                        throw TransportError.bodyLengthMismatch(
                            "the body ended \(remaining) bytes before its declared length")
                    }
                    return nil
                }
                let rest = remaining.map { $0 - chunk.count }
                if rest == 0 {
                    // The body is complete only if no chunk follows; then the reader can be
                    // released.
                    guard try await Self.chunk(from: &reader) == nil else { throw Self.tooLong }
                    return chunk
                }
                guard (rest ?? 0) >= 0 else { throw Self.tooLong }
                state = .reading(reader, remaining: rest)
                return chunk
            }

            private static func chunk(from reader: inout any ChunkReader) async throws -> [UInt8]? {
                while let chunk = try await reader.next() {
                    if !chunk.isEmpty { return chunk }
                }
                return nil
            }

            private static var tooLong: TransportError {
                .bodyLengthMismatch("the body has more bytes than its declared length")
            }
        }
    }
}
