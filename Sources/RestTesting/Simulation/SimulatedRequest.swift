// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument

/// A request that a simulated server has received.
public struct SimulatedRequest: Sendable, CustomStringConvertible {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path without the first slash and without the query, such as `notes/7`.
    public let path: String
    /// The header fields, credentials included.
    public let headerFields: HTTPFields
    /// The body.
    public let body: [UInt8]
    /// The position among the requests that have arrived, from 0.
    public internal(set) var number = 0

    /// Creates a request.
    public init(
        method: HTTPRequest.Method, path: String, headerFields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = String(path.drop { $0 == "/" }.prefix { $0 != "?" })
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
    /// The name of a command, which follows the identity; `nil` for the resource itself.
    var command: String? { components.dropFirst(2).first }
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
