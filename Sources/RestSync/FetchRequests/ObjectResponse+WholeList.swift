// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestTransport

extension ObjectResponse {
    /// Returns a Boolean value that indicates whether the response can contain all objects of its URL: it has
    /// the requested representation as a whole, and matches descriptors, and no other page follows or
    /// precedes.
    ///
    /// - Parameter absentIsEmpty: A Boolean value that indicates whether a response that matches no
    ///   descriptor, as an empty object does, has empty lists.
    /// - Returns: `true` for a whole list.
    /// - Source: RFC 9110 §15.3: of the responses of success to a GET request, those with status 200 and
    ///   203 have the representation; 206 and 226 have a part of it or its changes. RFC 8288 §3.3.
    func isWholeList(treatingAbsentAsEmpty absentIsEmpty: Bool) -> Bool {
        guard [200, 203].contains(head.status.code), absentIsEmpty || !matches.isEmpty,
            !request.headerFields.contains(.range)
        else { return false }
        let links = LinkField(of: head)
        if ["next", "prev", "previous"].contains(where: { links.target(of: $0) != nil }) {
            return false
        }
        return head.headerFields[.contentRange].map(Self.isWholeRange) ?? true
    }

    /// Returns a Boolean value that indicates whether a range is the whole of a known length, as in
    /// `items 0-24/25`, or the empty one, `items */0`.
    private static func isWholeRange(_ text: String) -> Bool {
        let parts = text.split(separator: " ").last?.split(separator: "/") ?? []
        guard parts.count == 2, let count = Int(parts[1]) else { return false }
        let bounds = parts[0].split(separator: "-").compactMap { Int($0) }
        guard bounds.count == 2 else { return count == 0 }
        return bounds[0] == 0 && bounds[1] + 1 >= count
    }
}
