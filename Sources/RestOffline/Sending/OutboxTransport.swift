// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestTransport
import Synchronization

/// A transport of the requests of an outbox that are not sent for themselves: those of a group, and those that the
/// system sends in the background.
struct OutboxTransport: HTTPTransport {
    /// Returns the transport of the client.
    private let base: @Sendable () throws -> any HTTPTransport

    init(of manager: ObjectManager) {
        base = { [weak manager] in
            guard let manager else { throw CancellationError() }
            return manager.client.transport
        }
    }

    /// A Boolean value that indicates whether the present task has such a request.
    static var isNeeded: Bool {
        BatchedRequests.member != nil || SuppliedExchange.current != nil
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let base = try base()
        if let exchange = SuppliedExchange.current {
            if let answer = try exchange.answer(to: request) { return answer }
        } else if let member = BatchedRequests.member {
            member.group.setBase(base)
            if let answer = try await member.group.answer(to: request, of: member) { return answer }
        }
        return try await base.send(request)
    }
}

/// A request that the system sends: it is captured after all stages of the client, and answered in another call.
///
/// The identity of one request.
final class SuppliedExchange: Sendable {
    /// The answer that the system has received.
    struct Answer: Sendable {
        let status: Int
        let fields: [String: String]
        let body: [UInt8]
    }

    /// The exchange of the present task.
    @TaskLocal static var current: SuppliedExchange?

    private struct State {
        var answer: Answer?
        var request: TransportRequest?
    }

    private let isCapturing: Bool
    private let state: Mutex<State>

    /// Creates an exchange with an answer; `nil` captures the request.
    init(_ answer: Answer?) {
        isCapturing = answer == nil
        state = Mutex(State(answer: answer))
    }

    /// The captured request; `nil` before it is captured.
    var request: TransportRequest? { state.withLock(\.request) }

    /// Returns the answer, once; `nil` for a later request, as after a renewal of credentials.
    ///
    /// - Throws: `CancellationError` once the request is captured.
    fileprivate func answer(to request: TransportRequest) throws -> TransportResponse? {
        if isCapturing {
            state.withLock { $0.request = request }
            throw CancellationError()
        }
        guard let answer = state.withLock({ $0.answer.take() }) else { return nil }
        var head = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        for (name, value) in answer.fields {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        return TransportResponse(to: request, head: head, body: ResponseBody(answer.body))
    }
}
