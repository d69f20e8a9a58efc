// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage that follows the redirects that the policy allows.
final class RedirectStage: Sendable {
    private let policy: RedirectPolicy
    private let limits: TransportLimits
    private let storesCookies: Bool
    private let next: CookieStage

    init(
        policy: RedirectPolicy, limits: TransportLimits, storesCookies: Bool, next: CookieStage
    ) {
        self.policy = policy
        self.limits = limits
        self.storesCookies = storesCookies
        self.next = next
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        let limit = (request.limits ?? limits).redirectCount
        var policy = policy
        var history = RedirectHistory()
        while true {
            do {
                var response = try await next.send(
                    request, leftTrustedOrigins: history.leftTrustedOrigins)
                let decision = RedirectDecision.decide(
                    on: response.head, to: request, after: history.visited.count, limit: limit,
                    policy: policy)
                switch decision {
                case .deliver:
                    response.redirects = history.visited
                    return response
                case .follow(let target, let isCrossOrigin):
                    // A trusted origin may redirect back to the origin of the request.
                    if history.visited.isEmpty { policy.trustedOrigins.insert(request.url.origin) }
                    history.append(
                        request, isCrossOrigin: isCrossOrigin,
                        changesState: storesCookies && response.headerFields.contains(.setCookie))
                    request = target
                    if history.contains(target) {
                        throw TransportError(
                            .tooManyRedirects, stage: .receivingHeader, request: request,
                            reason: "the redirects form a loop")
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
}
