// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage that answers from the cache, if the client has one.
final class CacheStage: Sendable {
    private let cache: HTTPCache?
    private let next: InterceptorStage

    init(cache: HTTPCache?, next: InterceptorStage) {
        self.cache = cache
        self.next = next
    }

    func send(
        _ request: TransportRequest, allowedFields: HTTPFields?
    ) async throws -> TransportResponse {
        if let cache, request.usesCache {
            return try await cache.send(
                request, through: InterceptorChain(next, allowedFields: allowedFields))
        }
        if request.cachePolicy == .cacheOnly { return .unavailable(for: request) }
        return try await next.send(request.withCacheDirectives(), allowedFields: allowedFields)
    }
}
