// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage of ``HTTPClient/interceptors`` or of ``HTTPClient/networkInterceptors``.
final class InterceptorStage: Sendable {
    /// The stage after the last interceptor.
    enum Next: Sendable {
        case redirects(RedirectStage)
        case exchange(GuardStage)

        @inline(__always)
        func send(
            _ request: TransportRequest, allowedFields: HTTPFields?
        ) async throws -> TransportResponse {
            switch self {
            case .redirects(let stage): try await stage.send(request)
            case .exchange(let stage): try await stage.send(request, allowedFields: allowedFields)
            }
        }
    }

    let interceptors: [any HTTPInterceptor]
    let baseURL: HTTPURL
    let clock: any TransportClock
    let next: Next

    init(
        _ interceptors: [any HTTPInterceptor], baseURL: HTTPURL, clock: any TransportClock,
        next: Next
    ) {
        self.interceptors = interceptors
        self.baseURL = baseURL
        self.clock = clock
        self.next = next
    }

    /// Sends a request through the interceptors.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - allowedFields: The header fields that the request may carry besides harmless ones; `nil`
    ///     allows all.
    /// - Returns: The response.
    /// - Throws: Errors of the interceptors and of the next stage.
    func send(
        _ request: TransportRequest, allowedFields: HTTPFields? = nil
    ) async throws -> TransportResponse {
        if interceptors.isEmpty {
            return try await next.send(request, allowedFields: allowedFields)
        }
        return try await InterceptorChain(self, allowedFields: allowedFields).send(request)
    }
}
