// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Brings the chunks of a body, one at a time, when they are asked for.
///
/// What a transport implements. Not asking is the back-pressure: a source holds a bounded amount and
/// stops reading from the connection until it is asked again.
public protocol ResponseBodySource: AnyObject, Sendable {
    /// The next chunk, never empty, or `nil` when the body is complete.
    ///
    /// Called by one task at a time.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` when the task was cancelled.
    func next() async throws -> [UInt8]?

    /// The rest of the body in one piece.
    ///
    /// Called instead of ``next()`` by a reader that wants nothing but the whole, so that a source
    /// that can do it better need not cut the body into chunks. Asks for one chunk after the other
    /// by default.
    ///
    /// - Parameter limit: Most bytes to take.
    /// - Returns: The rest of the body.
    /// - Throws: ``TransportError``, with code `bodyTooLarge` when there are more than `limit`, or
    ///   `CancellationError` when the task was cancelled.
    func collect(upTo limit: Int) async throws -> [UInt8]

    /// Gives the body up; the connection is dropped unless the body is complete.
    ///
    /// Called at most once for a body that nobody holds any more, and harmless after the end.
    func cancel()
}

extension ResponseBodySource {
    /// The rest of the body, gathered chunk by chunk.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        try await gather(upTo: limit)
    }

    /// The rest of the body, gathered chunk by chunk.
    package func gather(upTo limit: Int) async throws -> [UInt8] {
        // One array that grows would hold the bytes twice each time it does, and copy them as often.
        var chunks: [[UInt8]] = []
        var count = 0
        while let chunk = try await next() {
            count += chunk.count
            try ResponseBody.check(count, against: limit)
            chunks.append(chunk)
        }
        guard chunks.count > 1 else { return chunks.popLast() ?? [] }
        var collected: [UInt8] = []
        collected.reserveCapacity(count)
        for chunk in chunks { collected += chunk }
        return collected
    }
}

/// The bytes of a response's body, as an asynchronous sequence of chunks that can be read once.
///
/// A body that arrived together with its header is held complete. Letting go of an unread body ends
/// the exchange.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A chunk: some bytes, at least one.
    public typealias Element = [UInt8]

    /// Reading can fail with ``TransportError`` or `CancellationError`.
    public typealias Failure = any Error

    private enum Storage: Sendable {
        case bytes([UInt8])
        case stream(BodyStream)
    }

    private let storage: Storage

    /// Makes a body that is already complete.
    ///
    /// - Parameter bytes: The body.
    public init(_ bytes: [UInt8]) {
        storage = .bytes(bytes)
    }

    /// Makes a body that arrives from a source.
    ///
    /// - Parameter source: Where the chunks come from.
    public init(source: any ResponseBodySource) {
        storage = .stream(BodyStream(source))
    }

    /// The body, when it is complete without waiting; `nil` when it has to be read.
    public var completeBytes: [UInt8]? {
        switch storage {
        case .bytes(let bytes): bytes
        case .stream: nil
        }
    }

    /// Reads the whole body.
    ///
    /// - Parameter limit: Most bytes to take.
    /// - Returns: The body; a complete body is returned without copying.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` when there are more than `limit`, and
    ///   what reading throws.
    public func collect(upTo limit: Int = .max) async throws -> [UInt8] {
        switch storage {
        case .bytes(let bytes):
            try Self.check(bytes.count, against: limit)
            return bytes
        case .stream(let stream):
            try stream.claim()
            return try await stream.source.collect(upTo: limit)
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .bytes(let bytes): Iterator(state: .bytes(bytes))
        case .stream(let stream): Iterator(state: .unclaimed(stream))
        }
    }

    /// Reads a body chunk by chunk.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate enum State: Sendable {
            case bytes([UInt8])
            case unclaimed(BodyStream)
            case reading(BodyStream)
            case finished
        }

        fileprivate var state: State

        /// The next chunk, or `nil` when the body is complete.
        public mutating func next() async throws -> [UInt8]? {
            let stream: BodyStream
            switch state {
            case .bytes(let bytes):
                state = .finished
                return bytes.isEmpty ? nil : bytes
            case .unclaimed(let unclaimed):
                try unclaimed.claim()
                stream = unclaimed
                state = .reading(stream)
            case .reading(let current):
                stream = current
            case .finished:
                return nil
            }
            do {
                if let chunk = try await stream.source.next() {
                    return chunk
                }
            } catch {
                state = .finished
                throw error
            }
            state = .finished
            return nil
        }
    }

    fileprivate static func check(_ count: Int, against limit: Int) throws(TransportError) {
        if count > limit {
            throw TransportError(
                .bodyTooLarge, stage: .receivingBody,
                reason: "more than the \(limit) bytes asked for")
        }
    }
}

/// Ties the life of a source to the bodies and iterators that hold it.
private final class BodyStream: Sendable {
    let source: any ResponseBodySource
    private let isClaimed = Atomic(false)

    init(_ source: any ResponseBodySource) {
        self.source = source
    }

    func claim() throws(TransportError) {
        if isClaimed.exchange(true, ordering: .relaxed) {
            throw TransportError(
                .closed, stage: .receivingBody, reason: "the body has already been read")
        }
    }

    deinit {
        source.cancel()
    }
}
