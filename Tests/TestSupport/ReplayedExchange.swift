// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestTesting

/// One recorded request with its response.
package struct ReplayedExchange: Sendable {
    /// The method in uppercase.
    package let method: String

    /// The path and query as on the request line.
    package let target: String

    /// The status code.
    package let status: Int

    /// The header fields except those of the recorded connection.
    package let headers: [(name: String, value: String)]

    /// The body.
    package let body: [UInt8]

    private let origin: String

    /// The method and target.
    package var key: String { "\(method) \(target)" }

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

    /// Returns the response of a server whose address replaces the recorded server's.
    package func response(from loopback: String) -> LoopbackResponse {
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
