// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import RestTransport

extension AsyncHTTPClientExchange {
    /// Longest body that AsyncHTTPClient writes at once; an answer may be ahead of that.
    private static let wholeByteCount = 4 << 20

    /// Bytes of one part of a longer body; the idle time begins anew with each.
    private static let partByteCount = 64 << 10

    /// The request's body in the form AsyncHTTPClient takes.
    func body(on eventLoops: any EventLoopGroup) -> AsyncHTTPClient.HTTPClient.Body? {
        if request.body.isEmpty { return nil }
        if let bytes = request.body.bytes, bytes.count <= Self.wholeByteCount {
            return .bytes(bytes)
        }
        return .stream(contentLength: request.body.byteCount.map { Int64($0) }) { writer in
            self.send(to: writer, on: eventLoops.next())
        }
    }

    /// Reads the body chunk by chunk, each when the connection has taken the one before.
    private func send(
        to writer: AsyncHTTPClient.HTTPClient.Body.StreamWriter, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let isSent = eventLoop.makePromise(of: Void.self)
        let feeding = Task { [self] in
            do {
                noteSource(isSlow: true)
                for try await chunk in request.body.chunks {
                    noteSource(isSlow: false)
                    var rest = ByteBuffer(bytes: chunk)
                    while let part = rest.readSlice(
                        length: min(rest.readableBytes, Self.partByteCount)), part.readableBytes > 0
                    {
                        guard await send(part, to: writer) else {
                            // The request is over, and its task tells why.
                            isSent.fail(AsyncHTTPClient.HTTPClientError.cancelled)
                            return
                        }
                    }
                    noteSource(isSlow: true)
                }
                noteSource(isSlow: false)
                // A sequence whose reader is cancelled just ends.
                try Task.checkCancellation()
                isSent.succeed()
            } catch {
                end(with: TransportError.ofBody(error, in: request), keepsBody: true)
                isSent.fail(error)
            }
        }
        keep(feeding)
        return isSent.futureResult
    }

    /// Sends a part and waits until the connection has taken all of it.
    ///
    /// AsyncHTTPClient's own answer to a write comes earlier, when there is room for more, but not at
    /// all when the request fails before: who waits for that is never freed.
    ///
    /// - Returns: Whether more can be sent.
    private func send(
        _ part: ByteBuffer, to writer: AsyncHTTPClient.HTTPClient.Body.StreamWriter
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            guard begin(continuation) else { return }
            writer.write(.byteBuffer(part)).whenFailure { _ in self.endPart(isSent: false) }
        }
    }
}
#endif
