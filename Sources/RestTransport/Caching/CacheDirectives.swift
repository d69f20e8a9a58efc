// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension TransportRequest {
    /// Returns the request with the directives by which its ``cachePolicy`` reaches the caches
    /// between this client and the server.
    ///
    /// Fields of the request itself are kept.
    ///
    /// - Parameter validatesImmutable: Whether the request validates a stale response that was
    ///   `immutable`.
    /// - Returns: The request to forward.
    /// - Source: Fetch standard, HTTP-network-or-cache fetch, for cache modes `no-cache` and
    ///   `reload`; RFC 8246 §2.
    func withCacheDirectives(validatesImmutable: Bool = false) -> TransportRequest {
        var request = self
        switch cachePolicy {
        case .ignore:
            request.addField(.pragma, "no-cache")
            request.addField(.cacheControl, "no-cache")
        case .revalidate:
            request.addField(.cacheControl, "max-age=0")
        case .standard, .cacheFirst, .cacheOnly:
            if validatesImmutable { request.addField(.cacheControl, "max-age=0") }
        }
        return request
    }

    private mutating func addField(_ name: HTTPField.Name, _ value: String) {
        if !headerFields.contains(name) { headerFields[name] = value }
    }
}
