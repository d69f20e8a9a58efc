// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A source of the chunks of a response body, which a transport implements.
///
/// A source buffers a bounded amount and reads from the connection only when chunks are requested,
/// which gives back pressure.
public protocol ResponseBodySource: AnyObject, Sendable {
    /// Returns the next chunk, which is never empty, or `nil` at the end of the body.
    ///
    /// One task at a time calls this method.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` if the task was cancelled.
    func next() async throws -> [UInt8]?

    /// Returns the rest of the body.
    ///
    /// A reader of the complete body calls this method instead of ``next()``, so that a source need
    /// not split the body into chunks. The default implementation collects the chunks.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The rest of the body.
    /// - Throws: ``TransportError``, with code `bodyTooLarge` if the body exceeds the limit, or
    ///   `CancellationError` if the task was cancelled.
    func collect(upTo limit: Int) async throws -> [UInt8]

    /// Cancels the body; the connection is closed unless the body is complete.
    ///
    /// Called at most once, when a body has no references any more. It has no effect after the end.
    func cancel()
}

extension ResponseBodySource {
    /// Returns the rest of the body, collected from its chunks.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        try await gather(upTo: limit)
    }

    /// Returns the rest of the body, collected from its chunks.
    package func gather(upTo limit: Int) async throws -> [UInt8] {
        // An array that grows would copy its bytes, and need twice the memory, at each growth.
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

/// The body of a response, an asynchronous sequence of chunks that can be read once.
///
/// A body that arrived together with its header is in memory. An unread body that is released ends
/// the exchange.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = [UInt8]

    /// The error type; ``TransportError`` or `CancellationError`.
    public typealias Failure = any Error

    private enum Storage: Sendable {
        case bytes([UInt8])
        case stream(BodyStream)
    }

    private let storage: Storage

    /// Creates a complete body.
    ///
    /// - Parameter bytes: The body.
    public init(_ bytes: [UInt8]) {
        storage = .bytes(bytes)
    }

    /// Creates a body that a source delivers.
    ///
    /// - Parameter source: The source of the chunks.
    public init(source: any ResponseBodySource) {
        storage = .stream(BodyStream(source))
    }

    /// The complete body if it is in memory, or `nil` if it must be read.
    public var completeBytes: [UInt8]? {
        switch storage {
        case .bytes(let bytes): bytes
        case .stream: nil
        }
    }

    /// Reads the complete body.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The body; a body in memory is not copied.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` if the body exceeds the limit, and the
    ///   errors of the source.
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

    /// Returns an iterator over the chunks.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .bytes(let bytes): Iterator(state: .bytes(bytes))
        case .stream(let stream): Iterator(state: .unclaimed(stream))
        }
    }

    /// An iterator over the chunks of a body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate enum State: Sendable {
            case bytes([UInt8])
            case unclaimed(BodyStream)
            case reading(BodyStream)
            case finished
        }

        fileprivate var state: State

        /// Returns the next chunk, or `nil` at the end of the body.
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
                reason: "more than the requested \(limit) bytes")
        }
    }
}

/// A reference to a source, which is cancelled when no body and no iterator refers to it.
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
