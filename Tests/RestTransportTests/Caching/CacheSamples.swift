// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport

/// The sample values of tests of the cache's decisions.
enum CacheSamples {
    /// The present time of all tables.
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    static func fields(_ lines: [(String, String)]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in lines {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    static func request(
        _ method: HTTPRequest.Method = .get, _ lines: [(String, String)] = [],
        policy: CachePolicy = .standard, at address: String = "http://api.example/a"
    ) throws -> TransportRequest {
        var request = TransportRequest(
            method: method, url: try HTTPURL(parsing: address), headerFields: fields(lines))
        request.cachePolicy = policy
        return request
    }

    static func head(_ status: Int = 200, _ lines: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: .init(code: status), headerFields: fields(lines))
    }

    /// Returns a response that was stored a number of seconds ago.
    static func entry(
        _ lines: [(String, String)], status: Int = 200, secondsAgo: Double = 0, id: UInt64 = 1,
        for request: TransportRequest? = nil, bodyByteCount: Int = 10
    ) throws -> CacheEntry {
        let request = try request ?? self.request()
        let date = now.addingTimeInterval(-secondsAgo)
        let head = head(status, lines)
        var fields = SelectingFields.digests(of: request, for: head) ?? [:]
        if let range = request.headerFields[.range], status == 206 {
            fields[.range] = SHA256.hexadecimalDigest(of: Array(range.utf8))
        }
        return CacheEntry(
            key: CacheKey(request), id: id, selectingFields: fields, head: head, requestDate: date,
            responseDate: date, bodyByteCount: bodyByteCount)
    }

    static func date(_ seconds: Double) -> String {
        HTTPDate.format(now.addingTimeInterval(seconds))
    }
}
