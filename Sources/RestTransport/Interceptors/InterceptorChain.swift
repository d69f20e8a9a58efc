// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What stands between an interceptor and the answer: the interceptors further inside and, behind
/// them, the rest of the client.
public struct InterceptorChain: Sendable {
    /// The two places of a client where interceptors stand.
    enum Place {
        case aroundRequest
        case aroundExchange
    }

    // As it was when the request was sent.
    private let client: HTTPClient
    private let place: Place
    private let position: Int

    // What a request on a way to strangers may carry; `nil` for one that is not.
    private let vetted: HTTPFields?

    init(_ client: HTTPClient, _ place: Place, position: Int = 0, vetted: HTTPFields? = nil) {
        self.client = client
        self.place = place
        self.position = position
        self.vetted = vetted
    }

    /// Sends a request further inside.
    ///
    /// - Throws: ``TransportError`` or `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let interceptors =
            place == .aroundRequest ? client.interceptors : client.networkInterceptors
        if position < interceptors.count {
            let next = InterceptorChain(
                client, place, position: position + 1, vetted: vetted)
            return try await interceptors[position].send(request, through: next)
        }
        return switch place {
        case .aroundRequest: try await client.follow(request)
        case .aroundExchange: try await client.exchange(request, vetted: vetted)
        }
    }

    /// The time as the client asks for it.
    public var clock: any TransportClock { client.clock }

    /// The base address of the client.
    public var baseURL: HTTPURL { client.baseURL }
}
