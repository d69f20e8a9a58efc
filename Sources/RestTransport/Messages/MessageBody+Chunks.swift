// SPDX-License-Identifier: Apache-2.0

extension MessageBody {
    /// The body as a transport reads it: chunk by chunk, its announced length checked.
    public var chunks: Chunks { Chunks(storage: storage) }

    /// The chunks of a body, from its start; every iterator is a sending of its own.
    ///
    /// A body in memory is one chunk. A transport asks for the next chunk when it has room for it,
    /// and lets the iterator go, or cancels the task that reads, when the exchange is over.
    public struct Chunks: AsyncSequence, Sendable {
        /// Some bytes, at least one.
        public typealias Element = [UInt8]

        /// Reading can fail with ``TransportError`` or `CancellationError`.
        public typealias Failure = any Error

        fileprivate let storage: Storage

        /// Starts a sending; nothing is opened before the first chunk is asked for.
        public func makeAsyncIterator() -> Iterator {
            Iterator(state: .unopened(storage))
        }

        /// Reads a body for one sending.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate enum State {
                case unopened(Storage)
                case reading(any ChunkReader, left: Int?)
                case finished
            }

            fileprivate var state: State

            /// The next chunk, or `nil` when the body is complete.
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
                    return try await next(from: source.open(), left: source.byteCount)
                case .reading(let reader, let left):
                    state = .finished
                    return try await next(from: reader, left: left)
                }
            }

            private mutating func next(
                from reader: any ChunkReader, left: Int?
            ) async throws -> [UInt8]? {
                var reader = reader
                guard let chunk = try await Self.chunk(from: &reader) else {
                    if let left, left > 0 {
                        throw TransportError.bodyLengthMismatch(
                            "the body ended \(left) bytes before its announced length")
                    }
                    return nil
                }
                let rest = left.map { $0 - chunk.count }
                if rest == 0 {
                    // Whole only if nothing follows; then the reader can be let go at once.
                    guard try await Self.chunk(from: &reader) == nil else { throw Self.tooLong }
                    return chunk
                }
                guard (rest ?? 0) >= 0 else { throw Self.tooLong }
                state = .reading(reader, left: rest)
                return chunk
            }

            private static func chunk(from reader: inout any ChunkReader) async throws -> [UInt8]? {
                while let chunk = try await reader.next() {
                    if !chunk.isEmpty { return chunk }
                }
                return nil
            }

            private static var tooLong: TransportError {
                .bodyLengthMismatch("the body has more bytes than its announced length")
            }
        }
    }
}
