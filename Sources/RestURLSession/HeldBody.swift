// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)

import Foundation
import RestTransport

/// Reads a body whole before it is sent, for a session that cannot wait for one.
struct HeldBody: Sendable {
    private let request: TransportRequest
    private let limit: Int

    /// Makes a reader of a request's body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: Most bytes to hold.
    init(of request: TransportRequest, limit: Int) {
        self.request = request
        self.limit = limit
    }

    /// Reads the body, within the exchange's total time.
    ///
    /// - Throws: ``TransportError`` with code `bodyTooLarge`, `timedOut` or what reading the body
    ///   throws, and `CancellationError`.
    func read() async throws -> Data {
        let limits = request.limits ?? .default
        guard let time = limits.totalTimeout else { return try await collect() }
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await collect() }
            group.addTask {
                try await Task.sleep(for: time)
                throw limits.totalTimeRanOut(request, at: .preparing)
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
                reason: "Foundation on Linux cannot stream a body, and this has over \(limit) bytes"
            )
        }
    }
}

#endif
