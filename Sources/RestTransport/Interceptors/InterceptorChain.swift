// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The remaining interceptors and the stages after them, as an interceptor calls them.
public struct InterceptorChain: Sendable {
    private let stage: InterceptorStage
    private let position: Int

    // Held here, not by the request: an interceptor may send another request.
    private let allowedFields: HTTPFields?

    init(_ stage: InterceptorStage, position: Int = 0, allowedFields: HTTPFields?) {
        self.stage = stage
        self.position = position
        self.allowedFields = allowedFields
    }

    /// Sends a request to the next interceptor, or to the next stage after the last one.
    ///
    /// - Throws: ``TransportError`` or `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard position < stage.interceptors.count else {
            return try await stage.next.send(request, allowedFields: allowedFields)
        }
        let next = InterceptorChain(stage, position: position + 1, allowedFields: allowedFields)
        return try await stage.interceptors[position].send(request, through: next)
    }

    /// The clock of the client.
    public var clock: any TransportClock { stage.clock }

    /// The base URL of the client.
    public var baseURL: HTTPURL { stage.baseURL }
}
