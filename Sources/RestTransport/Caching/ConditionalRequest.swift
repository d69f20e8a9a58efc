// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The conditional requests that validate stored responses.
///
/// - Source: RFC 9111 §4.3.1, §4.3.2; RFC 9110 §13.
package enum ConditionalRequest {
    /// Returns a request that validates a stored response.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - request: The request that the cache received.
    /// - Returns: The request with the validators of the stored response in place of its own, or
    ///   `nil` if a 304 response would not refer to the stored response: it has no validator, the
    ///   request has other validators, or the request is a HEAD.
    package static func validating(
        _ entry: CacheEntry, for request: TransportRequest
    ) -> TransportRequest? {
        let validators = HTTPValidators(of: entry.head.headerFields)
        guard request.method == .get, !validators.isEmpty,
            !request.headerFields.contains(.ifRange)
        else { return nil }
        if let tags = request.headerFields.bytes(of: .ifNoneMatch) {
            guard let entityTag = validators.entityTag,
                EntityTags.list(tags, matches: entityTag)
            else { return nil }
        }
        return request.validating(validators)
    }

    /// Returns a Boolean value that indicates whether the conditions of a request are answered with
    /// 304 (Not Modified) from a stored response.
    package static func isNotModified(_ entry: CacheEntry, for request: TransportRequest) -> Bool {
        guard (200..<300).contains(entry.head.status.code) else { return false }
        if let tags = request.headerFields.bytes(of: .ifNoneMatch) {
            return EntityTags.list(tags, matches: entry.head.headerFields.bytes(of: .eTag))
        }
        guard let text = request.headerFields[.ifModifiedSince], let limit = HTTPDate.parse(text)
        else { return false }
        let fields = entry.head.headerFields
        let modified =
            (fields[.lastModified] ?? fields[.date]).flatMap { HTTPDate.parse($0) }
            ?? entry.responseDate
        return modified <= limit
    }

    /// Returns a Boolean value that indicates whether a request is conditional itself.
    package static func hasConditions(_ request: TransportRequest) -> Bool {
        request.headerFields.contains(.ifNoneMatch)
            || request.headerFields.contains(.ifModifiedSince)
    }
}

/// Entity tags in header fields, as bytes: a tag may contain bytes of any encoding.
///
/// Unquoted tags are compared as written.
///
/// - Source: RFC 9110 §8.8.3.
package enum EntityTags {
    /// Returns a Boolean value that indicates whether a list of tags, or `*`, contains a tag by
    /// weak comparison.
    package static func list(_ list: [UInt8], matches tag: [UInt8]?) -> Bool {
        let members = members(of: list)
        if members == [[UInt8(ascii: "*")]] { return true }
        guard let tag else { return false }
        let wanted = opaque(tag)
        return members.contains { opaque($0) == wanted }
    }

    /// Returns the tag without its weakness indicator.
    package static func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> {
        tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag[...]
    }

    /// Returns a Boolean value that indicates whether the tag is a strong validator.
    package static func isStrong(_ tag: [UInt8]) -> Bool { tag.first == UInt8(ascii: "\"") }

    private static func members(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var (start, isQuoted) = (0, false)
        for index in 0...bytes.count {
            let isEnd = index == bytes.count
            if !isEnd, bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isEnd || bytes[index] == UInt8(ascii: ",") && !isQuoted {
                members.append(Array(bytes[start..<index].trimmingWhitespace()))
                start = index + 1
            }
        }
        return members.filter { !$0.isEmpty }
    }
}
