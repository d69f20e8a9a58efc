// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestTesting
import Synchronization

/// Loopback servers that replay recorded traffic of a public API, one for each recorded origin.
///
/// A recording is a list of exchanges: method, path with query, status, header fields and body. The
/// response to a request is that of the first unused exchange with its origin, method and target,
/// or of the last used one. A request that was not recorded has status 599. In `Link` and
/// `Location`, the servers replace the recorded origins by their own.
package final class ReplayServer: Sendable {
    private struct State {
        var exchanges: [ReplayedExchange]
        var lastUsed: [String: ReplayedExchange] = [:]
        /// The origins of the loopback servers by recorded origin.
        var addresses: [String: String] = [:]
    }

    private let state: Mutex<State>

    private init(_ exchanges: [ReplayedExchange]) {
        state = Mutex(State(exchanges: exchanges))
    }

    /// Runs the body with the server of a recording with one origin.
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
        try await runAll(recording) { servers in
            guard let server = servers.values.first, servers.count == 1 else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return try await body(server)
        }
    }

    /// Runs the body with the servers of a recording.
    ///
    /// - Parameters:
    ///   - recording: A file of the shared corpus.
    ///   - body: A closure with the servers by recorded origin, such as `https://api.github.com`.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or an error if the recording cannot be read.
    package static func runAll<Value>(
        _ recording: String, body: ([String: LoopbackServer]) async throws -> Value
    ) async throws -> Value {
        let exchanges = try ReplayedExchange.read(SharedFiles.data(recording))
        let origins = Set(exchanges.map(\.origin)).sorted()
        return try await ReplayServer(exchanges).run(origins[...], [:], body)
    }

    private func run<Value>(
        _ origins: ArraySlice<String>, _ servers: [String: LoopbackServer],
        _ body: ([String: LoopbackServer]) async throws -> Value
    ) async throws -> Value {
        guard let origin = origins.first else { return try await body(servers) }
        return try await LoopbackServer.run { request in
            self.response(to: request, of: origin)
        } body: { server in
            state.withLock { $0.addresses[origin] = "http://127.0.0.1:\(server.port)" }
            var servers = servers
            servers[origin] = server
            return try await run(origins.dropFirst(), servers, body)
        }
    }

    private func response(to request: LoopbackRequest, of origin: String) -> LoopbackResponse {
        let key = ReplayedExchange.key(
            origin: origin, method: request.method, target: request.target)
        let (exchange, addresses) = state.withLock { state in
            let index = state.exchanges.firstIndex { $0.key == key }
            let exchange = index.map { state.exchanges.remove(at: $0) } ?? state.lastUsed[key]
            state.lastUsed[key] = exchange
            return (exchange, state.addresses)
        }
        guard let exchange else {
            return .json(#"{"message": "not in the recording"}"#, status: 599)
        }
        return exchange.response(replacing: addresses)
    }
}
