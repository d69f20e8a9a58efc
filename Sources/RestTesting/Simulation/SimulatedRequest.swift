// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HTTPTypes
public import RestDocument

/// A request that a simulated server has received.
public struct SimulatedRequest: Sendable, CustomStringConvertible {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path without the first slash and without the query, such as `notes/7`.
    public let path: String
    /// The query without the question mark, such as `title=A`; empty for none.
    public let query: String
    /// The header fields, credentials included.
    public let headerFields: HTTPFields
    /// The body.
    public let body: [UInt8]
    /// The position among the requests that have arrived, from 0.
    public internal(set) var number = 0

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path with the query, as in the request line.
    ///   - headerFields: The header fields.
    ///   - body: The body.
    public init(
        method: HTTPRequest.Method, target: String, headerFields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0].drop { $0 == "/" })
        query = parts.count > 1 ? String(parts[1]) : ""
        self.headerFields = headerFields
        self.body = body
    }

    /// The body as JSON; `nil` if it is not.
    public var document: Document? { body.isEmpty ? nil : try? Document(parsing: body) }

    /// The method, the path and the body in one line, without header fields.
    public var description: String {
        "\(method.rawValue) \(path) \(String(decoding: body, as: UTF8.self))"
    }

    private var components: [String] { path.split(separator: "/").map(String.init) }
    /// The collection, which is the first component of the path.
    var collection: String { components.first ?? "" }
    /// The identity of the resource; `nil` for a collection.
    var identity: String? { components.dropFirst().first }
    /// The name of a command or of a list, which follows the identity; `nil` for the resource itself.
    var command: String? { components.dropFirst(2).first }
    /// The identity of a member of the list; `nil` for none.
    var member: String? { components.dropFirst(3).first }
    /// The parameters of the query.
    var parameters: [(name: String, value: String)] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { part in
                    let text = String(part.replacing("+", with: " "))
                    return text.removingPercentEncoding ?? text
                }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
    /// A Boolean value that indicates whether the request can change resources.
    public var isWrite: Bool { method != .get && method != .head }
}

/// An answer of a simulated server.
struct SimulatedAnswer: Sendable {
    var status: Int
    var headerFields: HTTPFields = [:]
    var body: [UInt8] = []

    static func json(_ text: String, status: Int, headerFields: HTTPFields = [:]) -> Self {
        var fields = headerFields
        fields[.contentType] = "application/json"
        return Self(status: status, headerFields: fields, body: Array(text.utf8))
    }
}
