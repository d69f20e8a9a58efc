// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// Where the chunks of a body come from, and whether they can be had again.
package final class MessageSource: Sendable {
    package let byteCount: Int?
    package let isReplayable: Bool
    // What can be had once is let go with its reader, so that it learns when nobody reads on.
    private let makeReader: Mutex<(@Sendable () async throws -> any ChunkReader)?>

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes it gives, when that is known.
    ///   - isReplayable: Whether a reader can be made more than once.
    ///   - makeReader: Makes a reader at the start of the body.
    package init(
        byteCount: Int?, isReplayable: Bool,
        makeReader: @escaping @Sendable () async throws -> any ChunkReader
    ) {
        precondition((byteCount ?? 0) >= 0, "a body has no negative length")
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        self.makeReader = Mutex(makeReader)
    }

    /// A reader at the start of the body.
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

/// Reads a body once, from its start; belongs to one task.
package protocol ChunkReader {
    /// The next chunk, or `nil` at the end.
    mutating func next() async throws -> [UInt8]?
}

/// Reads the chunks of a sequence that the application made.
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
    /// The error of a body that comes to another length than announced.
    static func bodyLengthMismatch(_ reason: String) -> TransportError {
        TransportError(.bodyLengthMismatch, stage: .sendingRequest, reason: reason)
    }

    /// The error of a body that would have to be sent twice and can be had only once.
    static func bodyNotReplayable() -> TransportError {
        TransportError(
            .bodyNotReplayable, stage: .sendingRequest,
            reason: "the request's body can be sent only once")
    }

    /// The error that stands for what a source of the application threw.
    static func ofSource(_ error: any Error) -> any Error {
        if error is CancellationError, Task.isCancelled { return error }
        return TransportError(
            .bodyUnavailable, stage: .sendingRequest,
            reason: "the source of the request's body failed", underlying: error)
    }

    /// What the sending of a request ends with when reading its body threw.
    package static func ofBody(_ error: any Error, in request: TransportRequest) -> any Error {
        guard var error = error as? TransportError else { return error }
        error.method = request.method.rawValue
        error.url = request.url.redacted
        return error
    }
}
