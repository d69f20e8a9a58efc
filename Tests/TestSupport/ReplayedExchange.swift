// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestTesting

/// One recorded request with its response.
package struct ReplayedExchange: Sendable {
    /// The method in uppercase.
    package let method: String

    /// The path and query as on the request line.
    package let target: String

    /// The origin of the recorded server, such as `https://api.github.com`.
    package let origin: String

    /// The header fields of the request, with names in lower case.
    package let requestHeaders: [String: String]

    /// The body of the request: text, or the document of a JSON body as JSON text.
    package let requestBody: [UInt8]

    /// The status code.
    package let status: Int

    /// The header fields except those of the recorded connection.
    package let headers: [(name: String, value: String)]

    /// The body.
    package let body: [UInt8]

    /// The origin, method and target.
    package var key: String { Self.key(origin: origin, method: method, target: target) }

    static func key(origin: String, method: String, target: String) -> String {
        "\(method) \(origin)\(target)"
    }

    /// The names of the fields of the recorded connection.
    private static let connectionFields: Set<String> = [
        "connection", "content-length", "transfer-encoding", "content-encoding", "keep-alive",
    ]

    /// Parses a recording.
    ///
    /// - Throws: An error if the data is not a recording.
    package static func read(_ data: Data) throws -> [ReplayedExchange] {
        guard let list = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return try list.map { try ReplayedExchange($0) }
    }

    private init(_ record: [String: Any]) throws {
        guard let scope = record["scope"] as? String, let method = record["method"] as? String,
            let path = record["path"] as? String, let status = record["status"] as? Int,
            let headers = record["headers"] as? [String: Any]
        else { throw CocoaError(.fileReadCorruptFile) }
        self.method = method.uppercased()
        target = path
        origin = scope.replacingOccurrences(of: ":443", with: "")
        self.status = status
        self.headers = headers.sorted { $0.key < $1.key }.compactMap { name, value in
            Self.connectionFields.contains(name.lowercased()) ? nil : (name, "\(value)")
        }
        let requestHeaders = record["reqheaders"] as? [String: Any] ?? [:]
        self.requestHeaders = Dictionary(
            requestHeaders.map { ($0.key.lowercased(), "\($0.value)") },
            uniquingKeysWith: { first, _ in first })
        requestBody = try Self.bytes(of: record["body"])
        if let text = record["response"] as? String, record["responseIsBinary"] as? Bool == true {
            body = Self.bytes(ofHexadecimal: text)
        } else {
            body = try Self.bytes(of: record["response"])
        }
    }

    /// Returns the response in which other addresses replace those of recorded servers.
    ///
    /// - Parameter addresses: Origins by recorded origin.
    /// - Returns: The response.
    package func response(replacing addresses: [String: String]) -> LoopbackResponse {
        let headers = headers.map { name, value in
            var value = value
            if ["link", "location"].contains(name.lowercased()) {
                for (recorded, address) in addresses {
                    value = value.replacingOccurrences(of: recorded, with: address)
                }
            }
            return (name: name, value: value)
        }
        return LoopbackResponse(status: status, headers: headers, body: body)
    }

    private static func bytes(of recorded: Any?) throws -> [UInt8] {
        switch recorded {
        case let text as String: Array(text.utf8)
        case let value?: Array(try JSONSerialization.data(withJSONObject: value))
        case nil: []
        }
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
