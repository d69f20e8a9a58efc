// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPClient {
    /// Sends a request through interceptors and redirects.
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
            return try await follow(
                request, networkInterceptors.isEmpty ? nil : InterceptorChain.Stages(self))
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
                var response = try await passNetworkInterceptors(request, stages)
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
}
