// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPCache {
    /// Returns a stored response, or the response of the next stage.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: The stages that lead to the server.
    /// - Returns: The response. Its body may still be arriving; it is stored once it is complete.
    /// - Throws: Errors of the next stage, unless a stale response may be served instead.
    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let key = CacheKey(request)
        var entries = await storage.entries(for: key)
        while true {
            let decision = CacheDecision.decide(
                on: request, entries: entries, at: next.clock.date)
            switch decision {
            case .reuse(let reuse):
                guard let response = await response(reuse, to: request) else {
                    entries.removeAll { $0.id == reuse.entry.id }
                    continue
                }
                if let validation = reuse.validation { refresh(validation, key, through: next) }
                return response
            case .forward(let forwarded):
                return try await CacheExchange(
                    cache: self, key: key, forwarded: forwarded, next: next
                ).run()
            case .unavailable:
                return .unavailable(for: request)
            }
        }
    }

    /// Returns the response made from a stored one, or `nil` if its body is no longer stored.
    func response(
        _ reuse: CacheDecision.Reuse, to request: TransportRequest
    ) async -> TransportResponse? {
        let age = reuse.age
        return await response(
            from: reuse.entry, reuse.response, age: age,
            origin: reuse.isStale ? .stale(age: age) : .cache(age: age), to: request)
    }

    /// Returns the response made from an entry that the server has just confirmed or sent, or `nil`
    /// if its body is no longer stored.
    func response(
        from entry: CacheEntry, to request: TransportRequest
    ) async -> TransportResponse? {
        guard let constructed = ConstructedResponse(from: entry, to: request) else { return nil }
        return await response(from: entry, constructed, age: nil, origin: .revalidated, to: request)
    }

    private func response(
        from entry: CacheEntry, _ constructed: ConstructedResponse, age: Int?,
        origin: ResponseOrigin,
        to request: TransportRequest
    ) async -> TransportResponse? {
        var body: [UInt8] = []
        if constructed.needsBody {
            guard let stored = await storage.body(of: entry) else { return nil }
            body = constructed.body(from: stored)
        }
        return TransportResponse(
            to: request, head: constructed.head(from: entry, age: age), body: ResponseBody(body),
            origin: origin, storedAs: entry.reference)
    }

    /// Revalidates a stored response in the background, unless a revalidation is already running.
    private func refresh(
        _ forwarded: CacheDecision.ForwardedRequest, _ key: CacheKey, through next: InterceptorChain
    ) {
        guard let entry = forwarded.storedEntry, case .leader = revalidations.join(entry.reference)
        else {
            return
        }
        var forwarded = forwarded
        let timeout = (forwarded.request.limits ?? .default).totalTimeout
        forwarded.request.deadline = timeout.map { next.clock.now + $0 }
        forwarded.original.deadline = forwarded.request.deadline
        let exchange = CacheExchange(cache: self, key: key, forwarded: forwarded, next: next)
        let limit = entryByteCount
        refresh {
            let response = try? await exchange.lead(entry)
            _ = try? await response?.collect(upTo: limit)
        }
    }
}

extension TransportResponse {
    /// Returns the 504 response to a request that may be served neither from the cache nor by the
    /// server.
    ///
    /// - Source: RFC 9111 §5.2.1.7.
    static func unavailable(for request: TransportRequest) -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: .gatewayTimeout), body: ResponseBody([]),
            origin: .unavailable)
    }
}
