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

    /// The client as it was when the request was sent, in one allocation for all steps.
    final class Stages: Sendable {
        let client: HTTPClient

        init(_ client: HTTPClient) {
            self.client = client
        }
    }

    private let stages: Stages
    private let place: Place
    private let position: Int

    // What a request on a way to strangers may carry; `nil` for one that is not.
    private let vetted: HTTPFields?

    init(_ stages: Stages, _ place: Place, position: Int = 0, vetted: HTTPFields? = nil) {
        self.stages = stages
        self.place = place
        self.position = position
        self.vetted = vetted
    }

    /// Sends a request further inside.
    ///
    /// - Throws: ``TransportError`` or `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let client = stages.client
        let interceptors =
            place == .aroundRequest ? client.interceptors : client.networkInterceptors
        if position < interceptors.count {
            let next = InterceptorChain(
                stages, place, position: position + 1, vetted: vetted)
            return try await interceptors[position].send(request, through: next)
        }
        return switch place {
        case .aroundRequest: try await client.follow(request, stages)
        case .aroundExchange: try await client.exchange(request, vetted: vetted)
        }
    }

    /// The time as the client asks for it.
    public var clock: any TransportClock { stages.client.clock }

    /// The base address of the client.
    public var baseURL: HTTPURL { stages.client.baseURL }
}
