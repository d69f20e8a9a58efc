// SPDX-License-Identifier: Apache-2.0

import RestTesting
import Synchronization

/// An API whose responses a test writes down, by path and query.
final class ScriptedAPI: Sendable {
    private struct State {
        var bodies: [String: String] = [:]
        var headers: [String: [(name: String, value: String)]] = [:]
        var statuses: [String: [Int]] = [:]
        var requests: [LoopbackRequest] = []
    }

    private let state = Mutex(State())

    /// The targets of the requests so far, such as `/items?page=2`.
    var targets: [String] { state.withLock { $0.requests.map(\.target) } }
    var requests: [LoopbackRequest] { state.withLock(\.requests) }

    /// Sets the JSON text at a path, which can have a query.
    subscript(target: String) -> String? {
        get { state.withLock { $0.bodies[target] } }
        set { state.withLock { $0.bodies[target] = newValue } }
    }

    func setHeaders(_ headers: [(name: String, value: String)], at target: String) {
        state.withLock { $0.headers[target] = headers }
    }

    /// Sets the statuses of the next responses at a path; then they are 200, or 404 without a body.
    func fail(_ statuses: [Int], at target: String) {
        state.withLock { $0.statuses[target] = statuses }
    }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        state.withLock { state in
            state.requests.append(request)
            let known = [request.target, request.path].first { state.bodies[$0] != nil }
            let target = known ?? request.target
            let headers = state.headers[target] ?? state.headers[request.path] ?? []
            if var statuses = state.statuses[target] ?? state.statuses[request.path],
                !statuses.isEmpty
            {
                let status = statuses.removeFirst()
                state.statuses[target] = statuses
                if status != 200 { return LoopbackResponse(status: status, headers: headers) }
            }
            guard let body = state.bodies[target] else { return LoopbackResponse(status: 404) }
            return .json(body, headers: headers)
        }
    }

    /// Runs the API for the duration of a closure.
    static func run<Value>(body: (ScriptedAPI, String) async throws -> Value) async throws -> Value
    {
        let api = ScriptedAPI()
        return try await LoopbackServer.run {
            api.respond(to: $0)
        } body: { server in
            try await body(api, server.baseURL)
        }
    }
}
