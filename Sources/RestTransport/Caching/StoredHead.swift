// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is kept of a response's header.
///
/// - Source: RFC 9111 §3.1, §3.2.
enum StoredHead {
    /// The header to store: without what belongs to one connection, what `Connection` names and what
    /// may not be served without revalidation; with a date.
    static func of(_ head: HTTPResponse, receivedAt date: Date) -> HTTPResponse {
        var unwanted = CacheControl(head.headerFields).noCacheFields
        if head.headerFields.contains(.connection) {
            for value in head.headerFields[values: .connection] where value != "keep-alive" {
                for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                    unwanted.append(name.lowercased())
                }
            }
        }
        var kept = head
        // Few are taken out, as a rule.
        for index in head.headerFields.indices.reversed() {
            let name = head.headerFields[index].name.canonicalName
            if isOfConnection(name) || unwanted.contains(name) {
                kept.headerFields.remove(at: index)
            }
        }
        if !kept.headerFields.contains(.date) {
            kept.headerFields[.date] = HTTPDate.format(date)
        }
        return kept
    }

    /// A stored header after a 304, or the header of a HEAD, brought what has changed.
    ///
    /// Fields about the stored bytes stay, as do those that are not brought; not so `Age`, `Date`
    /// and `Set-Cookie`, which belong to the exchange that brought them.
    static func of(
        _ stored: HTTPResponse, updatedBy head: HTTPResponse, receivedAt date: Date
    ) -> HTTPResponse {
        let news = of(head, receivedAt: date).headerFields
        var updated = stored
        updated.headerFields[.age] = nil
        updated.headerFields[.setCookie] = nil
        var brought: Set<String> = []
        for field in news where !contentFields.contains(field.name.canonicalName) {
            if brought.insert(field.name.canonicalName).inserted {
                updated.headerFields[fields: field.name] = news[fields: field.name]
            }
        }
        return updated
    }

    /// Whether a field belongs to one connection.
    private static func isOfConnection(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
            "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade":
            true
        default: false
        }
    }

    /// The fields that say how the stored bytes are to be read.
    private static let contentFields: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]
}
