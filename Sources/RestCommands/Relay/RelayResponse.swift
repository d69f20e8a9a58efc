// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// A response in the form of a JSON line.
struct RelayResponse: Encodable, Sendable {
    let status: Int
    /// The header fields, with names in lower case, in the form of the request's.
    let headers: RelayRequest.Headers
    let body: [UInt8]
    let source: ResponseOrigin
    /// The final URL, if redirects were followed.
    let url: String?

    init(_ response: TransportResponse, body: [UInt8], form: RelayRequest.Headers) {
        let lines = response.headerFields.map { ($0.name.canonicalName, $0.value) }
        status = response.status.code
        headers =
            switch form {
            case .pairs: .pairs(lines)
            case .object: .object(lines)
            }
        self.body = body
        source = response.origin
        url = response.redirects.isEmpty ? nil : response.url.text
    }

    private enum CodingKeys: String, CodingKey {
        case status, headers, body, bodyBase64, source, age, url
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(status, forKey: .status)
        try values.encode(headers, forKey: .headers)
        if let text = String(validating: body, as: UTF8.self) {
            try values.encode(text, forKey: .body)
        } else {
            try values.encodeNil(forKey: .body)
            try values.encode(Data(body).base64EncodedString(), forKey: .bodyBase64)
        }
        try values.encode(source.word, forKey: .source)
        try values.encodeIfPresent(source.age, forKey: .age)
        try values.encodeIfPresent(url, forKey: .url)
    }
}

extension RelayRequest.Headers: Encodable {
    /// Encodes the fields in the form of the request.
    ///
    /// Pairs are encoded unchanged. An object joins the values of one name by a comma and a space, except
    /// for `set-cookie`, whose values are a list.
    ///
    /// - Source: RFC 9110 §5.3.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.singleValueContainer()
        switch self {
        case .pairs(let lines):
            try values.encode(lines.map { [$0.name, $0.value] })
        case .object(let lines):
            var object: [String: ObjectValue] = [:]
            for (name, value) in lines {
                switch object[name] {
                case nil: object[name] = .text(value)
                case .text(let first)?:
                    let isList = name == "set-cookie"
                    object[name] = isList ? .list([first, value]) : .text("\(first), \(value)")
                case .list(let list)?: object[name] = .list(list + [value])
                }
            }
            try values.encode(object)
        }
    }

    private enum ObjectValue: Encodable {
        case text(String)
        case list([String])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            }
        }
    }
}

extension ResponseOrigin {
    /// The origin as one word.
    fileprivate var word: String {
        switch self {
        case .network: "network"
        case .cache: "cache"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .unavailable: "unavailable"
        }
    }

    /// The age in seconds of a stored response.
    fileprivate var age: Int? {
        switch self {
        case .cache(let age), .stale(let age): age
        case .network, .revalidated, .unavailable: nil
        }
    }
}
