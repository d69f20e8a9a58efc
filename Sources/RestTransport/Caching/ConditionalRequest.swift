// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asking a server whether a stored response still holds, and judging such questions.
///
/// - Source: RFC 9111 §4.3.1, §4.3.2; RFC 9110 §13.
package enum ConditionalRequest {
    /// A request that the server may answer with 304 for a stored response.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - request: What was asked of the cache.
    /// - Returns: The request with the validators of the stored response in place of its own, or
    ///   `nil` when a 304 would not mean that response: it has no validator, the request asks for
    ///   others, or is a HEAD.
    package static func asking(
        about entry: CacheEntry, for request: TransportRequest
    ) -> TransportRequest? {
        let entityTag = entry.head.headerFields[.eTag]
        let lastModified = entry.head.headerFields[.lastModified]
        guard request.method == .get, entityTag != nil || lastModified != nil,
            request.headerFields[.ifRange] == nil
        else { return nil }
        if let tags = request.headerFields[.ifNoneMatch] {
            guard let entityTag, EntityTags.list(tags, matches: entityTag) else { return nil }
        }
        var conditional = request
        conditional.headerFields[.ifNoneMatch] = entityTag
        conditional.headerFields[.ifModifiedSince] = lastModified
        return conditional
    }

    /// Whether a request's own conditions let a stored response be answered with 304.
    package static func isNotModified(_ entry: CacheEntry, for request: TransportRequest) -> Bool {
        guard (200..<300).contains(entry.head.status.code) else { return false }
        if let tags = request.headerFields[.ifNoneMatch] {
            return EntityTags.list(tags, matches: entry.head.headerFields[.eTag])
        }
        guard let text = request.headerFields[.ifModifiedSince], let limit = HTTPDate.parse(text)
        else { return false }
        let fields = entry.head.headerFields
        let modified =
            (fields[.lastModified] ?? fields[.date]).flatMap { HTTPDate.parse($0) }
            ?? entry.responseDate
        return modified <= limit
    }

    /// Whether a request has conditions of its own.
    package static func hasConditions(_ request: TransportRequest) -> Bool {
        request.headerFields.contains(.ifNoneMatch)
            || request.headerFields.contains(.ifModifiedSince)
    }

    /// Whether a 304, or the header of a HEAD, is about a stored response: the validators that it
    /// brings are that response's.
    package static func validators(of head: HTTPResponse, match entry: CacheEntry) -> Bool {
        if let tag = head.headerFields[.eTag], let stored = entry.head.headerFields[.eTag] {
            return EntityTags.isStrong(tag) && EntityTags.isStrong(stored)
                ? tag == stored : EntityTags.opaque(tag) == EntityTags.opaque(stored)
        }
        if let date = head.headerFields[.lastModified],
            let stored = entry.head.headerFields[.lastModified]
        {
            return date == stored
        }
        return true
    }
}

/// Entity tags as fields hold them; what is not in quotes is compared as it stands.
///
/// - Source: RFC 9110 §8.8.3.
package enum EntityTags {
    /// Whether a list of tags, or `*`, holds a tag by weak comparison.
    package static func list(_ list: String, matches tag: String?) -> Bool {
        let members = members(of: Array(list.utf8))
        if members == [[UInt8(ascii: "*")]] { return true }
        guard let tag else { return false }
        let wanted = opaque(tag)
        return members.contains { opaque(String(decoding: $0, as: UTF8.self)) == wanted }
    }

    /// The tag without its mark of weakness.
    package static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// Whether equal tags mean equal bytes.
    package static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") }

    private static func members(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var (start, isQuoted) = (0, false)
        for position in 0...bytes.count {
            let isEnd = position == bytes.count
            if !isEnd, bytes[position] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isEnd || bytes[position] == UInt8(ascii: ",") && !isQuoted {
                members.append(Array(bytes[start..<position].trimmingBlanks()))
                start = position + 1
            }
        }
        return members.filter { !$0.isEmpty }
    }
}
