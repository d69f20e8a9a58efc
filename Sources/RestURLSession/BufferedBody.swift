// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)

import Foundation
import RestTransport

/// A request body that is read completely before it is sent, for sessions that cannot stream.
struct BufferedBody: Sendable {
    private let request: TransportRequest
    private let limit: Int

    /// Creates a reader of a request's body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum number of bytes.
    init(of request: TransportRequest, limit: Int) {
        self.request = request
        self.limit = limit
    }

    /// Returns the bytes of the body, read within the total timeout of the exchange.
    ///
    /// - Throws: ``TransportError`` with code `bodyTooLarge` or `timedOut`, an error of the body's
    ///   source, or `CancellationError`.
    func read() async throws -> Data {
        let limits = request.limits ?? .default
        guard let time = limits.totalTimeout else { return try await collect() }
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await collect() }
            group.addTask {
                try await SharedTimer.shared.sleep(until: .now + time)
                throw limits.totalTimeoutError(request, at: .preparing)
            }
            defer { group.cancelAll() }
            guard let data = try await group.next() else { throw CancellationError() }
            return data
        }
    }

    private func collect() async throws -> Data {
        try check(request.body.byteCount ?? 0)
        var data = Data()
        do {
            for try await chunk in request.body.chunks {
                try check(data.count + chunk.count)
                data.append(contentsOf: chunk)
            }
        } catch {
            throw TransportError.ofBody(error, in: request)
        }
        try Task.checkCancellation()
        return data
    }

    private func check(_ byteCount: Int) throws(TransportError) {
        if byteCount > limit {
            throw TransportError(
                .bodyTooLarge, stage: .preparing, request: request,
                reason:
                    "Foundation on Linux cannot stream a body, and this one has over \(limit) bytes"
            )
        }
    }
}

#endif
