// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestTesting
import Synchronization

/// A loopback server that replays recorded traffic of a public API.
///
/// A recording is a list of exchanges: method, path with query, status, header fields and body. The
/// response to a request is that of the first unused exchange with its method and target, or of the
/// last used one. A request that was not recorded has status 599. In `Link` and `Location`, the
/// server replaces the origin of the recorded API by its own.
package final class ReplayServer: Sendable {
    private struct State {
        var exchanges: [ReplayedExchange]
        var lastUsed: [String: ReplayedExchange] = [:]
    }

    private let state: Mutex<State>

    private init(_ exchanges: [ReplayedExchange]) {
        state = Mutex(State(exchanges: exchanges))
    }

    /// Runs the body with a server.
    ///
    /// - Parameters:
    ///   - recording: A file of the shared corpus, such as
    ///     `recorded/github/paginate-issues.json`.
    ///   - body: A closure with the server, which records its requests.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or an error if the recording cannot be read.
    package static func run<Value>(
        _ recording: String, body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let replay = try ReplayServer(ReplayedExchange.read(SharedFiles.data(recording)))
        return try await LoopbackServer.run({ replay.response(to: $0) }, body: body)
    }

    private func response(to request: LoopbackRequest) -> LoopbackResponse {
        let key = "\(request.method) \(request.target)"
        let exchange = state.withLock { state in
            let index = state.exchanges.firstIndex { $0.key == key }
            let exchange = index.map { state.exchanges.remove(at: $0) } ?? state.lastUsed[key]
            state.lastUsed[key] = exchange
            return exchange
        }
        guard let exchange else {
            return .json(#"{"message": "not in the recording"}"#, status: 599)
        }
        return exchange.response(from: "http://\(request.headers["host"] ?? "")")
    }
}
