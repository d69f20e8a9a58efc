// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestTesting
import Synchronization

/// A loopback server that answers as a public API once did, from recorded traffic.
///
/// A recording is a list of exchanges: method, path with query, status, header fields and body.
/// Requests are answered by the first exchange not used yet with their method and target, then by
/// the last used one; a request that was never recorded gets status 599. Addresses of the recorded
/// API in `Link` and `Location` lead to the loopback server.
package final class ReplayServer: Sendable {
    private struct State {
        var exchanges: [ReplayedExchange]
        var lastAnswers: [String: ReplayedExchange] = [:]
    }

    private let state: Mutex<State>

    private init(_ exchanges: [ReplayedExchange]) {
        state = Mutex(State(exchanges: exchanges))
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - recording: A file of the shared corpus, such as
    ///     `recorded/github/paginate-issues.json`.
    ///   - body: Gets the loopback server, whose requests tell what was asked for.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or why the recording cannot be read.
    package static func run<Value>(
        _ recording: String, body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let replay = try ReplayServer(ReplayedExchange.read(SharedFiles.data(recording)))
        return try await LoopbackServer.run({ replay.answer($0) }, body: body)
    }

    private func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let key = "\(request.method) \(request.target)"
        let exchange = state.withLock { state in
            let index = state.exchanges.firstIndex { $0.key == key }
            let exchange = index.map { state.exchanges.remove(at: $0) } ?? state.lastAnswers[key]
            state.lastAnswers[key] = exchange
            return exchange
        }
        guard let exchange else {
            return .json(#"{"message": "not in the recording"}"#, status: 599)
        }
        return exchange.answer(from: "http://\(request.headers["host"] ?? "")")
    }
}
