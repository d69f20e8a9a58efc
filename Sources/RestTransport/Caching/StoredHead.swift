// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The status and header fields to store of a response.
///
/// - Source: RFC 9111 §3.1, §3.2.
enum StoredHead {
    /// Returns a head without the fields of one connection, the fields that `Connection` names and
    /// the fields that need validation before reuse (`no-cache="…"`), and with a date.
    static func of(_ head: HTTPResponse, receivedAt date: Date) -> HTTPResponse {
        var removed = CacheControl(head.headerFields).noCacheFields
        if head.headerFields.contains(.connection) {
            for value in head.headerFields[values: .connection] where value != "keep-alive" {
                for name in value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                    removed.append(name.lowercased())
                }
            }
        }
        var stored = head
        // Few fields are removed, so the copy is cheaper than a new list.
        for index in head.headerFields.indices.reversed() {
            let name = head.headerFields[index].name.canonicalName
            if isConnectionSpecific(name) || removed.contains(name) {
                stored.headerFields.remove(at: index)
            }
        }
        if !stored.headerFields.contains(.date) {
            stored.headerFields[.date] = HTTPDate.format(date)
        }
        return stored
    }

    /// Returns a stored head updated by a 304 response or the response to a HEAD.
    ///
    /// Fields that describe the stored bytes and fields that the update does not contain stay.
    /// `Age`, `Date` and `Set-Cookie` do not stay, because they belong to one exchange.
    static func of(
        _ stored: HTTPResponse, updatedBy head: HTTPResponse, receivedAt date: Date
    ) -> HTTPResponse {
        let update = of(head, receivedAt: date).headerFields
        var updated = stored
        updated.headerFields[.age] = nil
        updated.headerFields[.setCookie] = nil
        var updatedNames: Set<String> = []
        for field in update where !contentFields.contains(field.name.canonicalName) {
            if updatedNames.insert(field.name.canonicalName).inserted {
                updated.headerFields[fields: field.name] = update[fields: field.name]
            }
        }
        return updated
    }

    /// A Boolean value that indicates whether a field applies to one connection only.
    private static func isConnectionSpecific(_ name: String) -> Bool {
        switch name {
        case "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
            "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade":
            true
        default: false
        }
    }

    /// The fields that describe the stored bytes.
    private static let contentFields: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]
}
