// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// A request in the form of a JSON line.
struct RelayRequest: Decodable, Sendable {
    /// The header fields, in one of two forms.
    enum Headers: Sendable {
        /// `[["name", "value"], …]`, one pair for each field line.
        case pairs([(name: String, value: String)])

        /// `{"name": "value", …}`, where a list of values stands for several field lines.
        case object([(name: String, value: String)])

        /// All field lines.
        var lines: [(name: String, value: String)] {
            switch self {
            case .pairs(let lines), .object(let lines): lines
            }
        }
    }

    /// The cache mode of a request, as defined by the Fetch standard.
    enum CacheMode: String, Decodable, Sendable {
        case standard = "default"
        case reload
        case noCache = "no-cache"
        case noStore = "no-store"
        case forceCache = "force-cache"
        case onlyIfCached = "only-if-cached"

        var policy: CachePolicy {
            switch self {
            case .standard: .standard
            case .reload, .noStore: .ignore
            case .noCache: .revalidate
            case .forceCache: .cacheFirst
            case .onlyIfCached: .cacheOnly
            }
        }
    }

    /// The redirect mode of a request, as defined by the Fetch standard.
    enum Redirect: String, Decodable, Sendable {
        case follow
        case manual
    }

    var method: String
    var url: String
    var headers: Headers
    var body: [UInt8]?
    var redirect: Redirect?
    var cache: CacheMode
    var principal: String?

    private enum CodingKeys: String, CodingKey {
        case method, url, headers, body, bodyBase64, redirect, cache, principal
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        method = try values.decodeIfPresent(String.self, forKey: .method) ?? "GET"
        url = try values.decode(String.self, forKey: .url)
        headers = try values.decodeIfPresent(Headers.self, forKey: .headers) ?? .object([])
        redirect = try values.decodeIfPresent(Redirect.self, forKey: .redirect)
        cache = try values.decodeIfPresent(CacheMode.self, forKey: .cache) ?? .standard
        principal = try values.decodeIfPresent(String.self, forKey: .principal)
        body = try values.decodeIfPresent(String.self, forKey: .body).map { Array($0.utf8) }
        if let text = try values.decodeIfPresent(String.self, forKey: .bodyBase64) {
            guard body == nil, let data = Data(base64Encoded: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .bodyBase64, in: values,
                    debugDescription: "not base64, or beside a body")
            }
            body = Array(data)
        }
    }

    /// Returns the request in the form that the client sends.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest`.
    func transportRequest() throws(TransportError) -> TransportRequest {
        var request = TransportRequest(
            method: try HTTPRequest.Method(checking: method), url: try HTTPURL(parsing: url),
            body: body.map { .bytes($0) } ?? .empty)
        for (name, value) in headers.lines {
            // Setting validates the field; appending keeps the field lines of one name separate.
            var field = HTTPFields()
            try field.set(value.trimmingCharacters(in: .whitespaces), for: name)
            request.headerFields.append(contentsOf: field)
        }
        if cache == .noStore, !request.headerFields.contains(.cacheControl) {
            request.headerFields[.cacheControl] = "no-store"
        }
        request.cachePolicy = cache.policy
        request.principal = principal.map { Principal($0) }
        return request
    }
}

extension RelayRequest.Headers: Decodable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if var lines = try? decoder.unkeyedContainer() {
            var pairs: [(name: String, value: String)] = []
            while !lines.isAtEnd {
                let pair = try lines.decode([String].self)
                guard pair.count == 2 else {
                    throw DecodingError.dataCorruptedError(
                        in: lines, debugDescription: "a field is a pair of texts")
                }
                pairs.append((pair[0], pair[1]))
            }
            self = .pairs(pairs)
            return
        }
        let object = try decoder.container(keyedBy: Name.self)
        var lines: [(name: String, value: String)] = []
        for name in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            if let values = try? object.decode([String].self, forKey: name) {
                lines += values.map { (name.stringValue, $0) }
            } else {
                lines.append((name.stringValue, try object.decode(String.self, forKey: name)))
            }
        }
        self = .object(lines)
    }
}
