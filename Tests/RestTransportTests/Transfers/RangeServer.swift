// SPDX-License-Identifier: Apache-2.0

import RestTesting
import Synchronization

/// A server of one representation that serves ranges, and loses connections as a test demands.
final class RangeServer: Sendable {
    /// The responses to one request.
    struct Plan: Sendable {
        /// The number of bytes of the body before the connection is closed; `nil` sends all.
        var byteCount: Int?
        /// Replaces the response.
        var response: String?
    }

    private struct State {
        var bytes: [UInt8]
        var validators: String
        var plans: [Plan]
        var heads: [String] = []
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8], validators: String = "ETag: \"1\"\r\n", plans: [Plan] = []) {
        state = Mutex(State(bytes: bytes, validators: validators, plans: plans))
    }

    /// The headers of the requests so far, in lower case.
    var heads: [String] { state.withLock { $0.heads } }

    /// The values of the `Range` field in the requests so far.
    var ranges: [String?] { heads.map { Self.value(of: "range", in: $0) } }

    /// Replaces the representation.
    func replace(_ bytes: [UInt8], validators: String) {
        state.withLock {
            $0.bytes = bytes
            $0.validators = validators
        }
    }

    /// Plans the responses to the next requests.
    func plan(_ plans: [Plan]) {
        state.withLock { $0.plans = plans }
    }

    func serve(_ connection: LoopbackConnection) {
        while let head = connection.readHead() {
            let (response, body, isLost) = response(to: head)
            guard connection.send(response), connection.send(body), !isLost else { return }
        }
    }

    private func response(to head: String) -> (String, [UInt8], Bool) {
        let (bytes, validators, plan) = state.withLock { state in
            state.heads.append(head)
            let plan = state.plans.isEmpty ? Plan() : state.plans.removeFirst()
            return (state.bytes, state.validators, plan)
        }
        if let response = plan.response { return (response, [], true) }
        var start = 0
        let condition = Self.value(of: "if-range", in: head)
        let isCurrent = condition.map { validators.lowercased().contains($0) } ?? true
        if isCurrent, let range = Self.value(of: "range", in: head),
            let first = Int(range.dropFirst("bytes=".count).dropLast())
        {
            guard first < bytes.count else {
                return (
                    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n"
                        + "Content-Range: bytes */\(bytes.count)\r\n\r\n", [], false
                )
            }
            start = first
        }
        let status = start == 0 ? "200 OK" : "206 Partial Content"
        var response =
            "HTTP/1.1 \(status)\r\n\(validators)Content-Length: \(bytes.count - start)\r\n"
        if start > 0 {
            response += "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
        }
        let body = Array(bytes[start...].prefix(plan.byteCount ?? .max))
        return (response + "\r\n", body, plan.byteCount != nil)
    }

    private static func value(of name: String, in head: String) -> String? {
        head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}
