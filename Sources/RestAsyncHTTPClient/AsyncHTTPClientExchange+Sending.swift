// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import RestTransport

extension AsyncHTTPClientExchange {
    /// The request's body in the form AsyncHTTPClient takes.
    func body(on eventLoops: any EventLoopGroup) -> AsyncHTTPClient.HTTPClient.Body? {
        if request.body.isEmpty { return nil }
        if let bytes = request.body.bytes { return .bytes(bytes) }
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
                    let isTaken = writer.write(.byteBuffer(ByteBuffer(bytes: chunk)))
                    do {
                        try await isTaken.get()
                    } catch {
                        // The request has failed, which its task tells.
                        isSent.fail(error)
                        return
                    }
                    noteSource(isSlow: true)
                }
                noteSource(isSlow: false)
                isSent.succeed()
            } catch {
                end(with: TransportError.ofBody(error, in: request), keepsBody: true)
                isSent.fail(error)
            }
        }
        keep(feeding)
        return isSent.futureResult
    }
}
#endif
