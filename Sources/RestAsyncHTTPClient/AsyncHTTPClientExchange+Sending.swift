// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import RestTransport
import Synchronization

extension AsyncHTTPClientExchange {
    /// The maximum length of a body that AsyncHTTPClient writes in one piece.
    private static let singleWriteByteCount = 4 << 20

    /// The length of one part of a longer body; each part restarts the idle timeout.
    private static let partByteCount = 64 << 10

    /// Returns the request body in the form of AsyncHTTPClient.
    func body(on eventLoops: any EventLoopGroup) -> AsyncHTTPClient.HTTPClient.Body? {
        if request.body.isEmpty { return nil }
        if let bytes = request.body.bytes, bytes.count <= Self.singleWriteByteCount {
            return .bytes(bytes)
        }
        return .stream(contentLength: request.body.byteCount.map { Int64($0) }) { writer in
            self.send(to: writer, on: eventLoops.next())
        }
    }

    /// Sends the body chunk by chunk, each after the connection has written the previous one.
    private func send(
        to writer: AsyncHTTPClient.HTTPClient.Body.StreamWriter, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let isSent = eventLoop.makePromise(of: Void.self)
        let sending = Task { [self] in
            do {
                noteSource(isSlow: true)
                for try await chunk in request.body.chunks {
                    noteSource(isSlow: false)
                    var rest = ByteBuffer(bytes: chunk)
                    while let part = rest.readSlice(
                        length: min(rest.readableBytes, Self.partByteCount)), part.readableBytes > 0
                    {
                        guard await send(part, to: writer) else {
                            // The request has ended, and its task has the error.
                            isSent.fail(AsyncHTTPClient.HTTPClientError.cancelled)
                            return
                        }
                    }
                    noteSource(isSlow: true)
                }
                noteSource(isSlow: false)
                // A sequence ends without an error when its reader is cancelled.
                try Task.checkCancellation()
                isSent.succeed()
            } catch {
                end(with: TransportError.ofBody(error, in: request), keepsBody: true)
                isSent.fail(error)
            }
        }
        setSendingTask(sending)
        return isSent.futureResult
    }

    /// Sends a part and waits until the connection has written all of it.
    ///
    /// The future of a write in AsyncHTTPClient completes earlier, when its buffer has capacity again,
    /// and never if the request fails before, so nothing can wait for it.
    ///
    /// - Returns: A Boolean value that indicates whether more can be sent.
    private func send(
        _ part: ByteBuffer, to writer: AsyncHTTPClient.HTTPClient.Body.StreamWriter
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            guard beginPart(continuation) else { return }
            writer.write(.byteBuffer(part)).whenFailure { _ in self.endPart(isSent: false) }
        }
    }

    // MARK: State

    /// Stores the task that sends the request body, which is cancelled when the exchange ends.
    func setSendingTask(_ task: Task<Void, Never>) {
        let isEnded = state.withLock { state in
            state.sendingTask = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    /// Stores the continuation that waits until a part of the body has been sent.
    ///
    /// - Returns: A Boolean value that indicates whether to send the part. It is `false` if the exchange
    ///   has ended, or if the server has rejected the request, as AsyncHTTPClient would only buffer the
    ///   part.
    func beginPart(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
        let (isEnded, isRefused) = state.withLock { state in
            if !state.isEnded { state.partContinuation = continuation }
            return (state.isEnded, state.times.isRefused)
        }
        if isEnded { continuation.resume(returning: false) }
        return !isEnded && !isRefused
    }

    /// Cancels the task that sends the request body, after the end of the exchange is recorded.
    func endSending(_ task: Task<Void, Never>?) {
        task?.cancel()
        endPart(isSent: false)
    }

    /// Resumes the continuation that waits for a part, with whether more can be sent.
    func endPart(isSent: Bool) {
        state.withLock { $0.partContinuation.take() }?.resume(returning: isSent)
    }

    /// Records whether the exchange waits for the source of the request body.
    func noteSource(isSlow: Bool) {
        state.withLock { $0.times.noteSource(isSlow: isSlow) }
    }
}
#endif
