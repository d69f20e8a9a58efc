// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage that fills in default header fields, credential, principal, limits and deadline.
final class PreparationStage: Sendable {
    private let baseURL: HTTPURL
    private let defaultHeaders: HTTPFields
    private let credential: (any RequestCredential)?
    private let trustedOrigins: Set<HTTPOrigin>
    private let limits: TransportLimits
    private let principal: Principal?
    private let clock: any TransportClock
    private let next: InterceptorStage

    init(_ configuration: ClientConfiguration, next: InterceptorStage) {
        baseURL = configuration.baseURL
        defaultHeaders = configuration.defaultHeaders
        credential = configuration.credential
        trustedOrigins = configuration.redirects.trustedOrigins
        limits = configuration.limits
        principal = configuration.principal
        clock = configuration.clock
        self.next = next
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let observer = request.progress else {
            return try await next.send(prepared(request))
        }
        do {
            return try await next.send(prepared(request)).observed(by: observer)
        } catch {
            observer.end(isComplete: false)
            throw error
        }
    }

    /// Returns a request with everything that this stage fills in.
    func prepared(_ request: TransportRequest) throws -> TransportRequest {
        var request = request
        let limits = request.limits ?? self.limits
        request.limits = limits
        request.deadline = limits.totalTimeout.map { clock.now + $0 }
        if request.principal == nil { request.principal = principal }
        let isTrusted =
            request.url.hasSameOrigin(as: baseURL) || trustedOrigins.contains(request.url.origin)
        if request.headerFields.isEmpty, isTrusted {
            request.headerFields = defaultHeaders
        } else {
            let ownFields = request.headerFields
            for field in defaultHeaders
            where !ownFields.contains(field.name) && (isTrusted || CrossOriginPolicy.allows(field))
            {
                request.headerFields.append(field)
            }
        }
        if let credential, isTrusted, !request.headerFields.contains(.authorization) {
            try credential.authorize(&request)
        }
        return request
    }
}
