// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import TestSupport

/// The parts of a request that a client decides: method, target, header fields of note and body.
struct RecordedRequest: Equatable, CustomStringConvertible {
    let method: String
    let target: String
    let fields: [String: String]
    let body: String

    /// The header fields that are compared.
    ///
    /// The others belong to the connection or name the client.
    private static let names = ["accept", "authorization", "content-type", "content-length"]

    /// Creates the request that a server received.
    init(_ request: LoopbackRequest) {
        self.init(request.method, request.target, request.headers, request.body)
    }

    /// Creates the recorded request of an exchange, without some of its header fields.
    init(_ exchange: ReplayedExchange, without withheld: Set<String> = []) {
        self.init(
            exchange.method, exchange.target,
            exchange.requestHeaders.filter { !withheld.contains($0.key) }, exchange.requestBody)
    }

    private init(
        _ method: String, _ target: String, _ headers: [String: String], _ body: [UInt8]
    ) {
        self.method = method
        self.target = target
        fields = headers.filter { Self.names.contains($0.key) }.mapValues {
            // The parameter has no meaning for JSON, and other clients add it (RFC 8259 §11).
            $0 == "application/json; charset=utf-8" ? "application/json" : $0
        }
        self.body = Self.text(body, headers["content-type"] ?? "")
    }

    /// Returns a body as text; of JSON, with sorted members.
    private static func text(_ body: [UInt8], _ contentType: String) -> String {
        if contentType.hasPrefix("application/json"),
            let value = try? JSONSerialization.jsonObject(with: Data(body)),
            let sorted = try? JSONSerialization.data(
                withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
        {
            return String(decoding: sorted, as: UTF8.self)
        }
        return String(decoding: body, as: UTF8.self)
    }

    var description: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(method) \(target) [\(fields.joined(separator: "; "))] \(body)"
    }
}
