// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import RestTransport

/// A name and a value of a query, percent-decoded.
struct QueryItem: Sendable, Hashable {
    var name: String
    var value: String

    /// Returns the name and the value of a pair in a query; the value is empty without an equals
    /// sign.
    init(decoding pair: Substring) {
        let bytes = pair.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        name = PercentEncoding.decoded(bytes[..<end])
        value = PercentEncoding.decoded(bytes[end...].dropFirst())
    }

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The pair as a part of a query.
    var encoded: String {
        var bytes: [UInt8] = []
        PercentEncoding.appendEncoded(name.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.appendEncoded(value.utf8, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPURL {
    /// The pairs of the query, as they are written.
    var queryPairs: [Substring] { (query ?? "").split(separator: "&") }

    /// Returns the URL with items in its query that replace those with the same names.
    ///
    /// The fragment is removed.
    ///
    /// - Throws: `TransportError` if the URL would be too long for the parser.
    func replacingQueryItems(_ items: [QueryItem]) throws(TransportError) -> HTTPURL {
        let names = Set(items.map(\.name))
        let kept = queryPairs.filter { !names.contains(QueryItem(decoding: $0).name) }
        let pairs = kept.map(String.init) + items.map(\.encoded)
        return pairs.isEmpty ? self : try resolving("?" + pairs.joined(separator: "&"))
    }
}
