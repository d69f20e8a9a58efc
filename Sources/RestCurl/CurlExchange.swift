// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// One request and its response, shared by the waiting task and the driver thread.
final class CurlExchange: ResponseBodySource {
    let request: TransportRequest
    let limits: TransportLimits
    let pipe = ResponsePipe()
    private let transport: CurlTransport

    /// The transfer that runs this exchange on the driver thread.
    ///
    /// Invariant: read and written by the driver thread only.
    nonisolated(unsafe) var transfer: CurlTransfer?

    /// The buffers for the response.
    ///
    /// The task allocates them because it also frees them: memory that one thread allocates and
    /// another one frees causes contention in the allocator.
    ///
    /// Invariant: accessed by the driver thread only, once the exchange is submitted.
    nonisolated(unsafe) var buffers: ReceiveBuffers?

    init(_ request: TransportRequest, transport: CurlTransport) {
        self.request = request
        limits = request.limits ?? .default
        self.transport = transport
        unsafe buffers = ReceiveBuffers()
    }

    func response() async throws -> TransportResponse {
        try await pipe.response(to: request, of: self) { transport.submit(.start(self)) }
    }

    func next() async throws -> [UInt8]? {
        try await pipe.next(of: self) { transport.submit(.resumeReceiving(self)) }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        // A body beyond a lower limit of the reader must fail before its end has arrived.
        guard limit >= limits.bodyByteCount else { return try await gather(upTo: limit) }
        return try await pipe.rest(of: self) { transport.submit(.collect(self)) }
    }

    /// Resumes sending, after the source of the request's body has produced more.
    func resumeSending() {
        transport.submit(.resumeSending(self))
    }

    func cancel() {
        if pipe.fail(CancellationError(), keepsBody: false) {
            transport.submit(.cancel(self))
        }
    }
}

/// Empty arrays with capacity for a typical header and a short body.
struct ReceiveBuffers {
    var header: [UInt8] = []
    var body: [UInt8] = []

    init() {
        header.reserveCapacity(512)
        // With the header of the array, about the largest block in the thread caches of glibc.
        body.reserveCapacity(960)
    }
}
