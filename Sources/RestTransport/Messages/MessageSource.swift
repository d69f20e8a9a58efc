// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// The source of the chunks of a request body.
package final class MessageSource: Sendable {
    /// The size of all chunks in bytes, or `nil` if it is unknown.
    package let byteCount: Int?

    /// A Boolean value that indicates whether the source can be read more than once.
    package let isReplayable: Bool

    // A source that can be read once is released with its reader, which ends its stream.
    private let makeReader: Mutex<(@Sendable () async throws -> any ChunkReader)?>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - byteCount: The size of all chunks in bytes, or `nil` if it is unknown.
    ///   - isReplayable: Whether the source can be read more than once.
    ///   - makeReader: A closure that returns a reader at the start of the body.
    package init(
        byteCount: Int?, isReplayable: Bool,
        makeReader: @escaping @Sendable () async throws -> any ChunkReader
    ) {
        precondition((byteCount ?? 0) >= 0, "the length of a body must not be negative")
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        self.makeReader = Mutex(makeReader)
    }

    /// Returns a reader at the start of the body.
    func open() async throws -> any ChunkReader {
        let makeReader = makeReader.withLock { isReplayable ? $0 : $0.take() }
        guard let makeReader else { throw TransportError.bodyNotReplayable() }
        return try await makeReader()
    }
}

extension MessageSource: Hashable {
    package static func == (one: MessageSource, other: MessageSource) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A reader of a body from its start to its end, used by one task.
package protocol ChunkReader {
    /// Returns the next chunk, or `nil` at the end.
    mutating func next() async throws -> [UInt8]?
}

/// A reader of the chunks of an asynchronous sequence.
struct SequenceReader<Iterator: AsyncIteratorProtocol>: ChunkReader
where Iterator.Element == [UInt8] {
    var iterator: Iterator

    mutating func next() async throws -> [UInt8]? {
        do {
            return try await iterator.next(isolation: #isolation)
        } catch {
            throw TransportError.ofSource(error)
        }
    }
}

extension TransportError {
    /// Returns the error of a body whose length differs from the declared one.
    static func bodyLengthMismatch(_ reason: String) -> TransportError {
        TransportError(.bodyLengthMismatch, stage: .sendingRequest, reason: reason)
    }

    /// Returns the error of a body that would have to be sent twice but is not replayable.
    static func bodyNotReplayable() -> TransportError {
        TransportError(
            .bodyNotReplayable, stage: .sendingRequest,
            reason: "the request's body can be sent only once")
    }

    /// Returns the error that wraps an error of the application's source.
    static func ofSource(_ error: any Error) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        return TransportError(
            .bodyUnavailable, stage: .sendingRequest,
            reason: "the source of the request's body failed", underlying: error)
    }

    /// Returns the error of a request whose body could not be read.
    package static func ofBody(_ error: any Error, in request: TransportRequest) -> any Error {
        guard var error = error as? TransportError else { return error }
        error.method = request.method.rawValue
        error.url = request.url.redacted
        return error
    }
}
