// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPClient {
    /// Sends a request through interceptors, redirects and the cache.
    ///
    /// - Parameter request: The request; it may be for another origin than the base's.
    /// - Returns: The response, with any status; its body may still be arriving.
    /// - Throws: ``TransportError``, whose ``TransportError/redirects`` name the way that led there,
    ///   or `CancellationError`.
    /// - Isolation: Runs in the caller's isolation.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let observer = request.progress else { return try await intercept(request) }
        do {
            return try await intercept(request).observed(by: observer)
        } catch {
            observer.end(isComplete: false)
            throw error
        }
    }

    private func intercept(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        try fillIn(&request)
        if interceptors.isEmpty { return try await follow(request) }
        return try await InterceptorChain(self, .aroundRequest).send(request)
    }

    /// Sends a request and follows the redirects that the policy allows.
    func follow(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        let limit = (request.limits ?? limits).redirectCount
        var policy = redirects
        var history = RedirectHistory()
        while true {
            do {
                var response = try await ask(request, isAstray: history.isAstray)
                let decision = RedirectDecision.decide(
                    on: response.head, to: request, after: history.visited.count, limit: limit,
                    policy: policy)
                switch decision {
                case .deliver:
                    response.redirects = history.visited
                    return response
                case .follow(let next, let isForeign):
                    // From a trusted origin the way back home is no way to a stranger.
                    if history.visited.isEmpty { policy.trustedOrigins.insert(request.url.origin) }
                    history.note(
                        request, isForeign: isForeign,
                        changesState: cookieJar != nil && response.headerFields.contains(.setCookie)
                    )
                    request = next
                    if history.holds(next) {
                        throw TransportError(
                            .tooManyRedirects, stage: .receivingHeader, request: request,
                            reason: "the redirects lead in a circle")
                    }
                case .refuse(let code, let reason):
                    throw TransportError(
                        code, stage: .receivingHeader, request: request, reason: reason)
                }
            } catch var error as TransportError {
                error.redirects = history.visited.map(\.redacted)
                throw error
            }
        }
    }

    /// Makes one exchange with a server.
    ///
    /// - Parameters:
    ///   - request: The request as it goes on the wire.
    ///   - vetted: All the fields that a request astray may carry besides harmless ones; `nil` for
    ///     one that is not.
    /// - Returns: The response.
    /// - Throws: ``TransportError`` or `CancellationError`.
    func exchange(
        _ request: TransportRequest, vetted: HTTPFields?
    ) async throws -> TransportResponse {
        var request = request
        if let vetted {
            request.headerFields = request.headerFields.filter { field in
                ForeignOrigin.maySee(field) || vetted.contains { $0 == field }
            }
        }
        try RequestRules.check(request)
        if let deadline = request.deadline {
            request.limits?.totalTimeout = max(.zero, deadline - clock.now)
        }
        let response = try await observe(request)
        cookieJar?.take(response.headerFields, answering: request, at: clock.date)
        return response
    }

    /// Tells whoever watches the progress what goes out.
    private func observe(_ request: TransportRequest) async throws -> TransportResponse {
        guard let observer = request.progress else { return try await transmit(request) }
        var observed = request
        observed.body = request.body.observed(by: observer)
        let response = try await transmit(observed)
        return TransportResponse(
            to: request, head: response.head, body: response.body, redirects: response.redirects)
    }

    private func transmit(_ request: TransportRequest) async throws -> TransportResponse {
        if enforcesLimits { return try await transport.send(request) }
        return try await GuardedExchange(request).send(through: transport)
    }

    /// Asks once, with the cookies for the address: the cache, if there is one, else the server.
    private func ask(
        _ request: TransportRequest, isAstray: Bool
    ) async throws -> TransportResponse {
        var request = request
        if let cookieJar, !request.headerFields.contains(.cookie),
            let pairs = cookieJar.field(for: request, isAstray: isAstray, at: clock.date)
        {
            // Assigned by its name, it would become a field for each pair.
            request.headerFields.append(HTTPField(name: .cookie, value: pairs))
        }
        // What is added further inside was not meant for a stranger.
        let vetted = isAstray ? request.headerFields : nil
        if let cache {
            return try await cache.send(
                request, through: InterceptorChain(self, .aroundExchange, vetted: vetted))
        }
        if request.cachePolicy == .cacheOnly { return .unavailable(for: request) }
        if networkInterceptors.isEmpty { return try await exchange(request, vetted: vetted) }
        return try await InterceptorChain(self, .aroundExchange, vetted: vetted).send(request)
    }

    private func fillIn(_ request: inout TransportRequest) throws {
        let limits = request.limits ?? self.limits
        request.limits = limits
        request.deadline = limits.totalTimeout.map { clock.now + $0 }
        if request.principal == nil { request.principal = principal }
        let isAtHome =
            request.url.hasSameOrigin(as: baseURL)
            || redirects.trustedOrigins.contains(request.url.origin)
        if request.headerFields.isEmpty, isAtHome {
            request.headerFields = defaultHeaders
        } else {
            let own = request.headerFields
            for field in defaultHeaders
            where !own.contains(field.name) && (isAtHome || ForeignOrigin.maySee(field)) {
                request.headerFields.append(field)
            }
        }
        if let credential, isAtHome, !request.headerFields.contains(.authorization) {
            try credential.authorize(&request)
        }
    }
}
