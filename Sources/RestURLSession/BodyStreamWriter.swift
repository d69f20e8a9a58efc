// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)

import Foundation
import RestTransport
import Synchronization

/// Writes the chunks of a request body to a stream that the session reads.
///
/// The stream buffers 64 KiB. A session that does not read it suspends the source.
final class BodyStreamWriter: Sendable {
    /// The end of the stream that the session reads.
    ///
    /// Invariant: passed to the session once and not accessed here.
    nonisolated(unsafe) let input: InputStream

    // Invariant: used on `queue` only.
    nonisolated(unsafe) private let output: OutputStream

    private let queue = DispatchQueue(label: "RestURLSession.body")
    private let body: MessageBody
    private let exchange: URLSessionExchange
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ body: MessageBody, exchange: URLSessionExchange) {
        self.body = body
        self.exchange = exchange
        var input: InputStream?
        var output: OutputStream?
        unsafe Stream.getBoundStreams(
            withBufferSize: 64 << 10, inputStream: &input, outputStream: &output)
        guard let input, let output else { preconditionFailure("no memory for a pair of streams") }
        unsafe self.input = input
        unsafe self.output = output
    }

    /// Starts reading the body.
    func start() {
        let writing = Task { [self] in
            do {
                exchange.noteSource(isSlow: true)
                for try await chunk in body.chunks {
                    exchange.noteSource(isSlow: false)
                    guard await write(chunk) else { break }
                    exchange.noteSource(isSlow: true)
                }
            } catch {
                // Before the stream is closed, as a closed stream completes the body.
                exchange.end(with: TransportError.ofBody(error, in: exchange.request))
            }
            exchange.noteSource(isSlow: false)
            queue.async { unsafe self.output.close() }
        }
        task.withLock { $0 = writing }
    }

    /// Stops reading the body and releases its source.
    func cancel() {
        task.withLock { $0 }?.cancel()
    }

    /// Writes a chunk, waiting on the queue while the stream is full.
    ///
    /// - Returns: A Boolean value that indicates whether the session still reads the stream.
    private func write(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.writeBlocking(chunk)) }
        }
    }

    private func writeBlocking(_ chunk: [UInt8]) -> Bool {
        if unsafe output.streamStatus == .notOpen { unsafe output.open() }
        var rest = chunk[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                return unsafe output.write(start, maxLength: buffer.count)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

#endif
