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
        var exchanges: [RecordedExchange]
        var lastAnswers: [String: RecordedExchange] = [:]
    }

    private let state: Mutex<State>

    private init(_ exchanges: [RecordedExchange]) {
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
        let replay = try ReplayServer(RecordedExchange.read(SharedFiles.data(recording)))
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

/// One recorded request with its response.
private struct RecordedExchange: Sendable {
    /// Method and target.
    let key: String
    private let origin: String
    private let status: Int
    private let headers: [(name: String, value: String)]
    private let body: [UInt8]

    /// Fields that belong to the recorded connection.
    private static let framing: Set<String> = [
        "connection", "content-length", "transfer-encoding", "content-encoding", "keep-alive",
    ]

    static func read(_ data: Data) throws -> [RecordedExchange] {
        guard let list = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return try list.map { try RecordedExchange($0) }
    }

    private init(_ record: [String: Any]) throws {
        guard let scope = record["scope"] as? String, let method = record["method"] as? String,
            let path = record["path"] as? String, let status = record["status"] as? Int,
            let headers = record["headers"] as? [String: Any]
        else { throw CocoaError(.fileReadCorruptFile) }
        key = "\(method.uppercased()) \(path)"
        origin = scope.replacingOccurrences(of: ":443", with: "")
        self.status = status
        self.headers = headers.compactMap { name, value in
            Self.framing.contains(name.lowercased()) ? nil : (name, "\(value)")
        }
        switch record["response"] {
        case let text as String where record["responseIsBinary"] as? Bool == true:
            body = Self.bytes(ofHexadecimal: text)
        case let text as String:
            body = Array(text.utf8)
        case let value?:
            body = Array(try JSONSerialization.data(withJSONObject: value))
        case nil:
            body = []
        }
    }

    func answer(from loopback: String) -> LoopbackResponse {
        let headers = headers.map { name, value in
            let isAddress = ["link", "location"].contains(name.lowercased())
            let text = isAddress ? value.replacingOccurrences(of: origin, with: loopback) : value
            return (name: name, value: text)
        }
        return LoopbackResponse(status: status, headers: headers, body: body)
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = UInt8(rest.prefix(2), radix: 16), rest.count > 1 {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
