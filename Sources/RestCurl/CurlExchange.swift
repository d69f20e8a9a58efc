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

    /// Room for what comes, made by the task that lets it go in the end: what one thread frees of
    /// another's makes both wait for the allocator.
    ///
    /// Invariant: the driver thread's once the exchange is submitted.
    nonisolated(unsafe) var room: ReceivingRoom?

    init(_ request: TransportRequest, transport: CurlTransport) {
        self.request = request
        limits = request.limits ?? .default
        self.transport = transport
        unsafe room = ReceivingRoom()
    }

    func response() async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) { transport.submit(.start(self)) }
    }

    func next() async throws -> [UInt8]? {
        try await pipe.next(of: self) { transport.submit(.resumeReceiving(self)) }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        // Past a limit of its own the reader must not wait for the end.
        guard limit >= limits.bodyByteCount else { return try await gather(upTo: limit) }
        return try await pipe.rest(of: self) { transport.submit(.gather(self)) }
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

/// Empty arrays that have room for a usual header and a short body.
struct ReceivingRoom {
    var header: [UInt8] = []
    var body: [UInt8] = []

    init() {
        header.reserveCapacity(512)
        // With its own header, this is about the longest block that glibc keeps for each thread.
        body.reserveCapacity(960)
    }
}
