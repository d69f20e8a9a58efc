// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging

extension HTTPClient {
    /// Sends a request through interceptors, redirects and the cache.
    ///
    /// - Parameter request: The request; it may be for another origin than the base's.
    /// - Returns: The response, with any status; its body may still be arriving.
    /// - Throws: ``TransportError``, whose ``TransportError/redirects`` name the way that led there,
    ///   or `CancellationError`.
    /// - Isolation: Runs in the caller's isolation.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        fillIn(&request)
        if interceptors.isEmpty {
            let isBare = networkInterceptors.isEmpty && cache == nil
            return try await follow(request, isBare ? nil : InterceptorChain.Stages(self))
        }
        return try await InterceptorChain(InterceptorChain.Stages(self), .aroundRequest)
            .send(request)
    }

    /// Sends a request and follows the redirects that the policy allows.
    func follow(
        _ request: TransportRequest, _ stages: InterceptorChain.Stages?
    ) async throws -> TransportResponse {
        var request = request
        let limit = (request.limits ?? limits).redirectCount
        var visited: [HTTPURL] = []
        while true {
            do {
                var response = try await passCache(request, stages)
                note(response)
                let decision = RedirectDecision.decide(
                    on: response.head, to: request, after: visited.count, limit: limit,
                    policy: redirects)
                switch decision {
                case .deliver:
                    response.redirects = visited
                    return response
                case .follow(let next):
                    visited.append(request.url)
                    request = next
                case .refuse(let code, let reason):
                    throw TransportError(
                        code, stage: .receivingHeader, request: request, reason: reason)
                }
            } catch var error as TransportError {
                error.redirects = visited.map(\.redacted)
                logger?.debug("exchange failed", metadata: ["error": "\(error)"])
                throw error
            }
        }
    }

    /// Makes one exchange with a server.
    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        try RequestRules.check(request)
        var request = request
        if let deadline = request.deadline {
            request.limits?.totalTimeout = max(.zero, deadline - clock.now)
        }
        if transport is any LimitEnforcingTransport {
            return try await transport.send(request)
        }
        return try await GuardedExchange(request).send(through: transport)
    }

    private func passCache(
        _ request: TransportRequest, _ stages: InterceptorChain.Stages?
    ) async throws -> TransportResponse {
        guard let stages, let cache else {
            if request.cachePolicy == .cacheOnly { return .unavailable(for: request) }
            return try await passNetworkInterceptors(request, stages)
        }
        return try await cache.send(request, through: InterceptorChain(stages, .aroundExchange))
    }

    private func passNetworkInterceptors(
        _ request: TransportRequest, _ stages: InterceptorChain.Stages?
    ) async throws -> TransportResponse {
        guard let stages, !networkInterceptors.isEmpty else { return try await exchange(request) }
        return try await InterceptorChain(stages, .aroundExchange).send(request)
    }

    private func fillIn(_ request: inout TransportRequest) {
        let limits = request.limits ?? self.limits
        request.limits = limits
        request.deadline = limits.totalTimeout.map { clock.now + $0 }
        if request.principal == nil { request.principal = principal }
        if request.headerFields.isEmpty {
            request.headerFields = defaultHeaders
            return
        }
        let own = request.headerFields
        for field in defaultHeaders where !own.contains(field.name) {
            request.headerFields.append(field)
        }
    }

    private func note(_ response: TransportResponse) {
        logger?.debug(
            "response",
            metadata: [
                "method": "\(response.request.method.rawValue)",
                "url": "\(response.url.redacted)",
                "status": "\(response.status.code)",
            ])
    }
}
