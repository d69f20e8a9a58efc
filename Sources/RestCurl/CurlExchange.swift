// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// One request and its response, between the task that waits and the thread that drives.
final class CurlExchange: ResponseBodySource {
    let request: TransportRequest
    let limits: TransportLimits
    let pipe = ResponsePipe()
    private let transport: CurlTransport

    /// The driver's side of this exchange.
    ///
    /// Invariant: read and written by the driver thread only.
    nonisolated(unsafe) var transfer: CurlTransfer?

    init(_ request: TransportRequest, transport: CurlTransport) {
        self.request = request
        limits = request.limits ?? .default
        self.transport = transport
    }

    func head() async throws -> ResponsePipe.Arrival {
        try await withTaskCancellationHandler {
            try await pipe.head { transport.submit(.start(self)) }
        } onCancel: {
            cancel()
        }
    }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await pipe.next { transport.submit(.resumeReceiving(self)) }
        } onCancel: {
            cancel()
        }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        // Past a limit of its own the reader must not wait for the end.
        guard limit >= limits.bodyByteCount else { return try await gather(upTo: limit) }
        return try await withTaskCancellationHandler {
            try await pipe.rest { transport.submit(.gather(self)) }
        } onCancel: {
            cancel()
        }
    }

    /// Tells the driver that there is more of the request's body.
    func bodyHasMore() {
        transport.submit(.resumeSending(self))
    }

    func cancel() {
        if pipe.fail(CancellationError(), keepsBody: false) {
            transport.submit(.cancel(self))
        }
    }
}
